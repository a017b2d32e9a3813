"""What our static pages share: their looks, and the keys of a replay. Data only; see ``gallery`` and ``site``."""
