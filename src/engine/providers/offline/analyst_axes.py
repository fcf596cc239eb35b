"""The axes that the offline analyst knows, in its order of preference."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Draft:
    """An axis before it is fitted to a benchmark; `needs` says which inputs it is for."""

    name: str
    needs: Literal["any", "table", "prose"]
    priority: Literal["high", "normal", "low"]
    definition: str
    goal: str
    focus: str
    subtypes: tuple[str, str, str]


CATALOGUE = (
    Draft("table_label_compression", "table", "high",
          "Row labels are shortened as typesetters do to make a table fit.",
          "The right row has to be known by its short form.",
          "Labels alone; no figure moves.",
          ("abbreviated nouns", "dropped modifiers", "initials")),
    Draft("table_lookup_distractor_rows", "table", "high",
          "Rows for segments or adjusted measures stand beside the rows in use.",
          "The right row has to be told from its neighbours.",
          "More rows; the old ones stay as they are.",
          ("adjusted measures", "segments", "comparatives")),
    Draft("terminology_substitution", "any", "high",
          "Terms give way to equal terms that other authors of the field use.",
          "Meaning has to be followed where wording differs.",
          "Single terms; sentences keep their shape.",
          ("field synonyms", "formal register", "house style")),
    Draft("distractor_sentences", "any", "normal",
          "Passages on neighbouring subjects stand between those that matter.",
          "The passages that matter have to be picked out.",
          "More sentences; the old ones stay as they are.",
          ("related subject", "earlier work", "administrative note")),
    Draft("cross_reference", "any", "normal",
          "Sentences point to other parts of the document, as edited documents do.",
          "A reader has to see which pointers lead away.",
          "Pointers alone; the statements around them stay.",
          ("notes", "sections", "exhibits")),
    Draft("narrative_restructuring", "any", "high",
          "Passages stand in another order than usual.",
          "A reader cannot rely on where things usually stand.",
          "Order alone; the wording stays.",
          ("background last", "results first", "moved passages")),
    Draft("number_format_variation", "table", "normal",
          "Figures are printed in the other notations that filings use.",
          "A figure has to be known in any notation.",
          "Notation alone; values stay.",
          ("thousands commas", "currency signs", "aligned decimals")),
    Draft("unit_notes", "table", "normal",
          "Notes on units and rounding stand around the figures.",
          "Units have to be read where they are stated.",
          "Notes that agree with the figures.",
          ("scale notes", "rounding notes", "basis notes")),
    Draft("hedged_language", "prose", "normal",
          "Sentences around the findings are worded with reserve.",
          "Reserve in style has to be told from doubt in substance.",
          "Style of the sentences around the findings.",
          ("limitations", "modest phrasing", "calls for more work")),
    Draft("clause_nesting", "prose", "normal",
          "Sentences carry parentheses and subordinate clauses.",
          "The main clause has to be found.",
          "Syntax; each statement stays whole.",
          ("parentheses", "provisos", "apposition")),
    Draft("temporal_clutter", "any", "normal",
          "Other periods are mentioned beside the period in question.",
          "Periods have to be kept apart.",
          "More dates; the old ones stay.",
          ("earlier periods", "follow-up", "restated periods")),
    Draft("ocr_noise", "any", "low",
          "Scanning leaves small errors in words that don't matter.",
          "A reader has to see through small errors.",
          "Single letters of common words.",
          ("joined letters", "split words", "stray blanks")),
    Draft("domain_specific_realism", "any", "normal",
          "Boilerplate that such documents carry stands around the content.",
          "The content has to be found inside ordinary boilerplate.",
          "Standard passages of the field.",
          ("disclaimers", "headings", "standard notices")),
)  # fmt: skip
