"""An old evaluation again: its snapshot, its result, its states and its screenshots, compared with the record."""
