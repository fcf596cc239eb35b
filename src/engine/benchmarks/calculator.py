"""The calculator tool: exact arithmetic on what an agent writes, and nothing else."""

import ast
import re
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction

from ..model.llm import Json
from .environment import Arguments, ToolError, text_argument

LONGEST = 300
LARGEST_EXPONENT = 64
LARGEST_BITS = 2048
_GROUPED = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?![\d,])")
_DIGITS = Context(prec=15)

_BINARY: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}


def calculate(expression: str) -> str:
    """The value of an arithmetic expression: an integer as such, else up to 15 digits.

    Takes numbers (with thousands commas), `+ - * / **` with an integer exponent, and parentheses.
    Raises ValueError that says what is wrong with the expression.
    """
    if len(expression) > LONGEST:
        raise ValueError(f"the expression is longer than {LONGEST} characters")
    plain = _GROUPED.sub(lambda m: m.group().replace(",", ""), expression.strip())
    plain = plain.replace("\u2212", "-").replace("\u00d7", "*").replace("^", "**")
    try:
        tree = ast.parse(plain, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError("no arithmetic expression") from error
    return _written(_value(tree.body, plain))


def calculated(arguments: Arguments) -> Json:
    """The reply of the calculator tool to `{"expression": ...}`; raises ToolError."""
    try:
        return {"value": calculate(text_argument(arguments, "expression"))}
    except ValueError as error:
        raise ToolError(str(error)) from error


def _value(node: ast.expr, text: str) -> Fraction:
    if isinstance(node, ast.Constant):
        return _number(node, text)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        value = _value(node.operand, text)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        return _binary(node, text)
    raise ValueError("only numbers, + - * / **, and parentheses can be used")


def _number(node: ast.Constant, text: str) -> Fraction:
    source = ast.get_source_segment(text, node) or ""
    if isinstance(node.value, bool) or not re.fullmatch(r"\d+\.?\d*|\.\d+", source):
        raise ValueError(f"{source!r} is no plain number")
    return Fraction(source.rstrip("."))


def _binary(node: ast.BinOp, text: str) -> Fraction:
    left, right = _value(node.left, text), _value(node.right, text)
    if isinstance(node.op, ast.Pow):
        return _bounded(_power(left, right))
    if type(node.op) not in _BINARY:
        raise ValueError("only + - * / and ** can be used")
    if isinstance(node.op, ast.Div) and right == 0:
        raise ValueError("division by zero")
    return _bounded(_BINARY[type(node.op)](left, right))


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > LARGEST_EXPONENT:
        raise ValueError(f"an exponent must be an integer up to {LARGEST_EXPONENT}")
    if base == 0 and exponent < 0:
        raise ValueError("division by zero")
    return Fraction(base ** int(exponent))


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > LARGEST_BITS:
        raise ValueError("the numbers grow too large")
    return value


def _written(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    quotient = _DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{quotient.normalize(_DIGITS):f}"
