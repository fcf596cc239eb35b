"""Sentences and terms by field, in our words, for the text moves."""

import random

DISTRACTORS = {
    "finance": (
        "for an affiliate that is not consolidated , {topic} amounted to $ {a} million in {y} and "
        "$ {b} million in {x} .",
        "management had earlier discussed {topic} of a discontinued line , then $ {a} million .",
        "industry surveys put {topic} at about {p}% ( {p} % ) for peers in {x} .",
    ),
    "biomedical": (
        "An earlier survey at another centre had also looked at {topic} in {n} subjects.",
        "Reports on {topic} from other settings have varied in size and design.",
        "Staff were trained for {p} weeks before records on {topic} were opened.",
    ),
    "legal": (
        "The parties may describe {topic} further in statements of work, none of which forms part "
        "of this document.",
        "Headings, including those on {topic}, are for ease of reading.",
        "Internal guidelines of a party on {topic} bind that party's staff only.",
    ),
    "general": (
        "Earlier notes on {topic} were kept in another file.",
        "A neighbouring case, numbered {n}, was about {topic} as well.",
        "Readers who look for background on {topic} will find it elsewhere.",
    ),
}
BOILERPLATE = {
    "finance": (
        "the accompanying notes are an integral part of these consolidated statements .",
        "certain prior-period amounts have been reclassified to conform to current presentation .",
        "forward-looking statements involve risks described under item 1a of this report .",
    ),
    "biomedical": (
        "The protocol was registered and approved by the local ethics committee.",
        "Data were entered twice and checked by a second reader.",
        "Funding bodies had no part in design or reporting.",
    ),
    "legal": (
        "This document may be signed in counterparts, each of which is an original.",
        "Notices are to be sent in writing to the addresses given above.",
        "If a provision is held invalid, the others stay in force.",
    ),
    "general": (
        "This document replaces earlier drafts of the same date.",
        "Page numbers refer to the printed edition.",
        "Questions about this document go to the office that issued it.",
    ),
}
TERMS = {
    "finance": (
        ("revenues", "turnover"), ("revenue", "turnover"), ("net income", "net earnings"),
        ("operating income", "operating profit"), ("expenses", "costs"), ("expense", "cost"),
        ("inventories", "stock on hand"), ("property and equipment", "fixed assets"),
        ("shareholders", "stockholders"), ("repurchased", "bought back"), ("debt", "borrowings"),
        ("decreased", "fell"), ("increased", "rose"), ("approximately", "about"),
    ),
    "biomedical": (
        ("patients", "subjects"), ("increased", "raised"), ("decreased", "lowered"),
        ("associated with", "linked to"), ("evaluated", "assessed"), ("evaluate", "assess"),
        ("children", "paediatric subjects"), ("surgery", "operative treatment"),
        ("mortality", "death rate"), ("higher", "greater"), ("compared", "set against"),
        ("showed", "displayed"), ("women", "female subjects"), ("performed", "carried out"),
    ),
    "legal": (
        ("shall not", "must not"), ("shall", "must"), ("third party", "outside party"),
        ("third parties", "outside parties"), ("disclose", "reveal"), ("employees", "staff"),
        ("terminate", "end"), ("termination", "ending"), ("obligations", "duties"),
        ("pursuant to", "under"), ("prior to", "before"), ("agents", "proxies"),
        ("copies", "duplicates"), ("return", "hand back"),
    ),
    "general": (
        ("increase", "rise"), ("decrease", "fall"), ("show", "display"), ("large", "big"),
        ("begin", "start"), ("often", "frequently"), ("help", "assist"), ("use", "employ"),
    ),
}  # fmt: skip
HEDGES = {
    "finance": ("on a preliminary basis , ", "in management 2019s view , "),
    "biomedical": ("Within the limits of the data, ", "As far as the records allow, "),
    "legal": ("For the avoidance of doubt, ", "As between the parties, "),
    "general": ("As far as can be told, ", "By the usual account, "),
}
NESTED = {
    "finance": " , as further described elsewhere in this report ,",
    "biomedical": " (as set out in the protocol and its later amendments)",
    "legal": " (including any schedule or exhibit hereto, as amended from time to time)",
    "general": " (as set out in more detail elsewhere)",
}
POINTERS = {
    "finance": "see note {n} , which should be read together with note {m} .",
    "biomedical": "Further detail stands in Table {n} and in Appendix {m}.",
    "legal": "Section {n} is to be read together with Section {m} and Exhibit A.",
    "general": "See section {n} together with section {m}.",
}
PERIODS = {
    "finance": "comparable figures for {x} and {y} , restated for earlier periods , were $ {a} "
    "million and $ {b} million for {topic} .",
    "biomedical": "Records from {x} to {y} had been kept in another form and were set aside.",
    "legal": "An earlier agreement dated in {x}, amended in {y}, dealt with other dealings of the "
    "parties.",
    "general": "Notes from {x} and {y} are kept apart from these.",
}
UNITS = (
    "amounts in the table are presented as in the original statement ; columns may not add due to "
    "rounding .",
    "figures are stated in the currency of the report , rounded to the unit shown .",
    "the table is presented on a consolidated basis in the units of the filing .",
)


def fill(template: str, topic: str, rng: random.Random) -> str:
    """A template with its topic, years, amounts and numbers filled in."""
    x = rng.randint(1989, 1997)
    return template.format(
        topic=topic,
        x=x,
        y=x + 1,
        a=round(rng.uniform(3, 900), 1),
        b=round(rng.uniform(3, 900), 1),
        p=rng.randint(3, 19),
        n=rng.randint(3, 16),
        m=rng.randint(17, 29),
    )
