"""The invented names that Syn-Ledger's documents are written with."""

_PLACES = (
    "Alder", "Birch", "Cedar", "Dunmore", "Elmfield", "Fernley", "Garrick", "Hollis",
    "Inver", "Juniper", "Kestrel", "Larkspur", "Marlow", "Norwood", "Ostler", "Pinehurst",
    "Quarry", "Rookwood", "Selby", "Thornbury", "Umber", "Verity", "Westering", "Yarrow",
)  # fmt: skip
_BODIES = (
    "Agency", "Board", "Council", "Department", "Harbour", "Institute", "Laboratory", "Office",
)  # fmt: skip
ENTITIES = tuple(f"{place} {_BODIES[i % len(_BODIES)]}" for i, place in enumerate(_PLACES))
YEARS = tuple(range(2024, 2040))
IRRELEVANT = ("grant reserve", "interest charge", "licence income", "transfer receipt")
STATUSES = ("approved", "cancelled", "draft")
VERSIONS = ("current", "superseded")
BASES = ("enacted", "proposed")
CODE_LETTERS = "bcdfghjklmnpqrstvwxz"
CODE_LENGTH = 4
EARLY_NAME = "acc-{code}.txt"
LATE_NAMES = (
    "supplementary-transmittal-schedule-{code}.txt",
    "unsorted-working-papers-annex-{code}.txt",
    "yearly-filing-and-correspondence-{code}.txt",
)
SHALLOW = "ledgers"
DEEP = "ledgers/records/regional/filed"
METADATA = (("Unit", "whole crowns"), ("Keeper", "Accounts Office"), ("Kind", "ledger extract"))
LABELS = ("Records", "Ledger entries")


def period(year: int) -> str:
    """How a fiscal year is written."""
    return f"FY{year}"
