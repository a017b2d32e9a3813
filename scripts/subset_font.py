"""Makes the bundled font: only the characters that the suite can show, from fonts under the SIL Open Font License.

    python scripts/subset_font.py --latin-regular Quicksand-Medium.ttf --latin-bold Quicksand-Bold.ttf \
        --han-regular NotoSansCJK-Regular.ttc --han-bold NotoSansCJK-Bold.ttc

Needs ``fonttools`` and an installed ``lpb_gen`` (whose labels say which characters). Of a collection (.ttc) it takes
the face for simplified Chinese. The results have names of their own, because a reserved font name must not stay on a
modified font.
"""

from __future__ import annotations

import argparse
import string
from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont

from lpb_gen.runners.suite.labels import all_texts

TARGET = Path(__file__).resolve().parent.parent / "runners" / "suite" / "font"
LATIN = set(string.printable.strip() + " ·×–—…’“”")
FACES = ("latin-regular", "latin-bold", "han-regular", "han-bold")


def open_face(path: Path) -> Any:
    """The font, or the simplified Chinese face of a collection."""
    if path.suffix.lower() != ".ttc":
        return TTFont(path)
    for font in TTCollection(path).fonts:
        if "Mono" not in (name := font["name"].getDebugName(1) or "") and name.endswith(" SC"):
            return font
    raise SystemExit(f"{path}: no face for simplified Chinese")


def make(face: str, source: Path) -> Path:
    font = open_face(source)
    wanted = LATIN if face.startswith("latin") else {c for _, text in all_texts() for c in text} - LATIN
    options = subset.Options(layout_features=[], hinting=False, notdef_outline=True, name_IDs=[0, 1, 2, 4, 6, 13, 14])
    options.drop_tables += ["GPOS", "GSUB", "GDEF", "BASE", "VORG", "vhea", "vmtx", "DSIG", "kern"]
    worker = subset.Subsetter(options)
    worker.populate(unicodes=sorted(ord(c) for c in wanted))
    worker.subset(font)
    if missing := {c for c in wanted if ord(c) not in font.getBestCmap()}:
        raise SystemExit(f"{source}: no glyphs for {''.join(sorted(missing))}")
    names = font["name"]
    for record in list(names.names):
        own = {1: "LPB Suite", 4: f"LPB Suite {face}", 6: f"LPBSuite-{face}"}.get(record.nameID)
        if own:
            names.setName(own, record.nameID, record.platformID, record.platEncID, record.langID)
    font["head"].modified = font["head"].created  # the same bytes at every run
    font.recalcTimestamp = False
    target = TARGET / f"{face}.{'otf' if 'CFF ' in font else 'ttf'}"
    font.save(target)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for face in FACES:
        parser.add_argument(f"--{face}", type=Path, required=True, metavar="FILE")
    sources = vars(parser.parse_args())
    for face in FACES:
        target = make(face, sources[face.replace("-", "_")])
        print(f"{target.name}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
