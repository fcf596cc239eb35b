"""Reading a configuration: every problem at once, with its key, value and line."""

import tomllib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.config_file import config_schema, examine_config, load_config
from evoscope.engine.config_lines import key_lines
from evoscope.engine.errors import ConfigError, UsageError

GOOD = """\
search = "harden"
budget = 2.5

[benchmark]
kind = "finqa"

[providers.offline]
kind = "offline"

[models]
task = { provider = "offline", model = "reader" }
analysis = { provider = "offline", model = "analyst" }
mutation = { provider = "offline", model = "mutator" }

[models.gates]
provider = "offline"
model = "auditor"
"""

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(text: str) -> Path:
        path = tmp_path / "run.toml"
        path.write_text(text)
        return path

    return to_file


def problems_of(path: Path, *overrides: str) -> list[str]:
    _, problems = examine_config(path, overrides)
    return [str(problem).replace(str(path), "F") for problem in problems]


def test_a_good_file_gives_a_configuration(write: Write) -> None:
    config = load_config(write(GOOD))
    assert config.budget == Decimal("2.5")
    assert config.models["gates"].model == "auditor"


def test_every_problem_is_named_with_key_value_and_line(write: Write) -> None:
    broken = GOOD.replace('kind = "finqa"', 'kind = "finq"\nsampel = 3').replace(
        'kind = "offline"', 'kind = "offline"\nlimits.concurrency = 0'
    )
    assert problems_of(write(broken), "harden.votes=0") == [
        "F:5: benchmark.kind = 'finq': must be 'finqa', 'pubmedqa', 'contractnli', "
        "'bundle', 'syn_ledger', 'corpus_qa' or 'code'",
        "F:6: benchmark.sampel: unknown key; did you mean sample?",
        "F:10: providers.offline.limits.concurrency = 0: must be greater than or equal to 1",
        "--set harden.votes: harden.votes = 0: must be greater than or equal to 1",
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('provider = "offline"\nmodel', 'provider = "ofline"\nmodel',
         "F:16: models.gates.provider = 'ofline': no such provider; [providers] defines offline"),
        ("mutation = {", "mutate = {",
         "F:10: models.mutation: missing; say which model plays the role mutation\n"
         "F:13: models.mutate: unknown role; the roles are task, analysis, mutation, gates"),
        ('kind = "finqa"', 'kind = "finqa"\npath = "none.json"',
         "F:6: benchmark.path = 'DIR/none.json': no such file"),
        ('search = "harden"', 'search = "harden"\nname = "../up"',
         "F:2: name = '../up': use letters, digits, '.', '_' and '-', at most 100"),
        ('kind = "offline"', 'kind = "offline"\nkey_env = "sk-ant-planted"',
         "F:9: providers.offline.key_env: "
         "must be the name of an environment variable, never a key itself"),
        ('kind = "offline"', 'kind = "offline"\nbase_url = "https://me:planted@host/v1"',
         "F:9: providers.offline.base_url: must not hold a password; use key_env"),
        ('kind = "offline"', 'kind = "offline"\napi_key = "planted"',
         "F:9: providers.offline.api_key: unknown key"),
        ("[models.gates]", "[harden]\nwaves = [4, 3]\n[models.gates]",
         "F:16: harden.waves = [4, 3]: must be positive and add up to harden.rollouts (10)"),
    ],
)  # fmt: skip
def test_keys_that_contradict_each_other_are_found(
    write: Write, old: str, new: str, expected: str
) -> None:
    path = write(GOOD.replace(old, new, 1))
    assert "\n".join(problems_of(path)).replace(str(path.parent), "DIR") == expected


@pytest.mark.parametrize(
    ("written", "value", "asked"),
    [
        ("'no'", "'no'", 'a decimal or "theory"'),
        ("[1]", "[1]", 'a decimal or "theory"'),
        ("5", "5", 'less than or equal to 2 or "theory"'),
        ("-0.1", "-0.1", 'greater than or equal to 0 or "theory"'),
    ],
)
def test_a_setting_that_may_be_one_of_two_things_has_one_line(
    write: Write, written: str, value: str, asked: str
) -> None:
    path = write(f"{GOOD}[chase]\neta = {written}\nepsilon = 'x'\n")
    assert sorted(problems_of(path)) == [
        f"F:19: chase.eta = {value}: must be {asked}",
        "F:20: chase.epsilon = 'x': must be a decimal",
    ]


def test_no_problem_shows_a_planted_key(write: Write) -> None:
    path = write(GOOD.replace('kind = "offline"', 'kind = "offline"\napi_key = "planted"'))
    with pytest.raises(ConfigError) as caught:
        load_config(path, ["providers.offline.token=planted"])
    assert "planted" not in str(caught.value)


def test_text_that_is_not_toml_names_its_line(write: Write) -> None:
    with pytest.raises(ConfigError, match=r"run\.toml: not valid TOML.*line 2"):
        load_config(write("search = 'harden'\nbudget = \n"))


def test_a_missing_file_names_the_command_that_writes_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="evoscope init"):
        load_config(tmp_path / "none.toml")


def test_overrides_read_toml_values_and_plain_words(write: Write) -> None:
    path = write(GOOD)
    config = load_config(
        path, ["harden.generations=2", "name=night-1", "harden.waves=[4,3,3]", "budget=0.30"]
    )
    assert (config.harden.generations, config.name) == (2, "night-1")
    assert (config.harden.waves, config.budget) == ((4, 3, 3), Decimal("0.30"))


@pytest.mark.parametrize("override", ["harden.votes", "=1", "a b=1", "search.x=1"])
def test_an_override_that_is_no_assignment_is_refused(write: Write, override: str) -> None:
    with pytest.raises(UsageError, match="--set"):
        load_config(write(GOOD), [override])


def test_relative_paths_start_at_the_file_s_folder(write: Write, tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_text("[]")
    path = write(GOOD.replace('kind = "finqa"', 'kind = "finqa"\npath = "cases.json"'))
    assert load_config(path).benchmark.path == tmp_path / "cases.json"


def test_lines_are_found_behind_values_of_several_lines() -> None:
    text = (
        'a = [\n  "]",  # ]\n  {x = 1},\n]\nb = """\n[no.table]\nc = 1\n"""\n'
        "d.'e.f' = '''x\n[t]'''\n[ t . \"u\" ] # comment\ng = \"#[\"\nh = 3\n"
    )
    tomllib.loads(text)
    assert key_lines(text) == {
        ("a",): 1, ("b",): 5, ("d", "e.f"): 9, ("t", "u"): 11, ("t", "u", "g"): 12,
        ("t", "u", "h"): 13,
    }  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.text("abc-_1", min_size=1, max_size=4),
            st.sampled_from(["1", "'''[x]\ny = 2'''", '"""a\\"""" \n"""', "[\n1,\n2]", "{z = 1}"]),
        ),
        unique_by=lambda pair: pair[0],
        max_size=6,
    )
)
def test_the_scanner_finds_the_keys_that_the_parser_finds(pairs: list[tuple[str, str]]) -> None:
    text = "".join(f"{key} = {value}\n" for key, value in pairs)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    lines = key_lines(text)
    assert [path[0] for path in lines] == list(document)
    assert all(text.splitlines()[n - 1].startswith(f"{path[0]} = ") for path, n in lines.items())


def test_the_schema_names_every_table() -> None:
    properties = config_schema()["properties"]
    assert {"search", "benchmark", "providers", "models", "harden", "budget"} <= set(properties)


CORPUS = """\
search = "chase"
[benchmark]
kind = "corpus_qa"
[providers.offline]
kind = "offline"
[models]
agent = { provider = "offline", model = "a" }
proposer = { provider = "offline", model = "p" }
challenger = { provider = "offline", model = "c" }
[chase]
methods = ["chase"]
"""


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("benchmark.path=F", "F:2: benchmark.documents: corpus_qa needs a question file and "
         "documents; give both, or neither"),
        ("benchmark.documents=none", "--set benchmark.documents: benchmark.documents = "
         "'DIR/none': no such file"),
        ("benchmark.sample=3", "--set benchmark.sample: benchmark.sample = 3: "
         "corpus_qa takes all its questions"),
        ('chase.methods=["chase", "b0"]', "--set chase.methods: chase.methods: no B_0 is known of "
         'corpus_qa; write methods = ["chase", "compass"]'),
        ("search=harden", "F:3: benchmark.kind = 'corpus_qa': harden needs another kind: cases"),
    ],
)  # fmt: skip
def test_a_corpus_needs_its_questions_and_documents(
    write: Write, override: str, expected: str
) -> None:
    path = write(CORPUS)
    assert problems_of(path) == []
    found = problems_of(path, override.replace("=F", f'="{path}"'))
    assert expected in [problem.replace(str(path.parent), "DIR") for problem in found]


def test_only_a_corpus_has_documents_and_splits(write: Write) -> None:
    found = problems_of(write(GOOD), 'benchmark.splits="question"')
    assert found == [
        "--set benchmark.splits: benchmark.splits: only corpus_qa has it, finqa has not"
    ]
