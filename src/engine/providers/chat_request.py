"""A request in the chat-completions format, in the dialect of the server that gets it."""

from collections.abc import Callable, Mapping

from ..model.llm import Json, Message, Params, ParamsReport, Request, Route, Tool
from .wire_json import clean, well_formed

_Writer = Callable[[Params, str], Mapping[str, Json]]


def chat_body(request: Request, dialect: str, report: ParamsReport) -> dict[str, Json]:
    """The request's JSON body; holds exactly the parameters that `report` lists as sent.

    A pinned route is written for OpenRouter only, which alone routes: these providers and no
    others, no fallbacks, no provider that would drop a parameter.
    """
    body: dict[str, Json] = {"model": request.model, "messages": _messages(request)}
    for name in report.sent:
        body.update(_WRITERS[name](request.params, dialect))
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.route is not None and dialect == "openrouter":
        body["provider"] = _routing(request.route)
    return body


def _messages(request: Request) -> list[Json]:
    """One leading system message at most: some upstream providers refuse any other place."""
    system: list[Json] = []
    if request.system is not None:
        system = [{"role": "system", "content": well_formed(request.system)}]
    return system + [_message(message) for message in request.messages]


def _message(message: Message) -> Json:
    if message.raw is not None:
        return clean(message.raw)
    turn: dict[str, Json] = {"role": message.role, "content": well_formed(message.text)}
    if message.role == "tool":
        turn["tool_call_id"] = message.tool_call_id
    return turn


def _tool(tool: Tool) -> Json:
    function: Json = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.schema),
    }
    return {"type": "function", "function": function}


def _routing(route: Route) -> Json:
    routing: dict[str, Json] = {"allow_fallbacks": False, "require_parameters": True}
    if route.providers:
        routing["only"] = list(route.providers)
    if route.quantizations:
        routing["quantizations"] = list(route.quantizations)
    return routing


def _plain(name: str) -> _Writer:
    return lambda params, dialect: {name: getattr(params, name)}


def _max_tokens(params: Params, dialect: str) -> Mapping[str, Json]:
    return {"max_completion_tokens" if dialect == "openai" else "max_tokens": params.max_tokens}


def _repetition(params: Params, dialect: str) -> Mapping[str, Json]:
    name = "repeat_penalty" if dialect == "llama.cpp" else "repetition_penalty"
    return {name: params.repetition_penalty}


def _top_logprobs(params: Params, dialect: str) -> Mapping[str, Json]:
    return {"logprobs": True, "top_logprobs": params.top_logprobs}


def _reasoning(params: Params, dialect: str) -> Mapping[str, Json]:
    """The switch; where an effort is given too, `_effort` says it all for a reasoning model."""
    on = params.reasoning == "adaptive"
    if dialect == "openrouter":
        return {} if on and params.effort else {"reasoning": {"enabled": on}}
    if dialect in ("vllm", "llama.cpp"):
        return {"chat_template_kwargs": {"enable_thinking": on}}
    return {} if on else {"reasoning_effort": "none"}


def _effort(params: Params, dialect: str) -> Mapping[str, Json]:
    if dialect == "openrouter":
        return {"reasoning": {"effort": params.effort}}
    if dialect == "llama.cpp":
        thinking = {"enable_thinking": True} if params.reasoning == "adaptive" else {}
        return {"chat_template_kwargs": {**thinking, "reasoning_effort": params.effort}}
    return {"reasoning_effort": params.effort}


def _json_object(params: Params, dialect: str) -> Mapping[str, Json]:
    return {"response_format": {"type": "json_object"}}


def _schema(params: Params, dialect: str) -> Mapping[str, Json]:
    if params.schema is None:
        return {}
    name, schema = params.schema
    form: Json = {"name": name, "schema": dict(schema), "strict": _can_be_strict(dict(schema))}
    return {"response_format": {"type": "json_schema", "json_schema": form}}


def _can_be_strict(schema: Json) -> bool:
    """Whether every object is closed with all of its properties required, as strict mode wants."""
    if isinstance(schema, list):
        return all(_can_be_strict(each) for each in schema)
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if schema.get("type") == "object" or isinstance(properties, dict):
        required = schema.get("required")
        named = set(properties) if isinstance(properties, dict) else set()
        listed = {str(name) for name in required} if isinstance(required, list) else set()
        if schema.get("additionalProperties") is not False or named - listed:
            return False
    return all(_can_be_strict(each) for each in schema.values())


# In the order of Params, so that a schema overrides json_object and effort the plain switch.
_WRITERS: dict[str, _Writer] = {
    "temperature": _plain("temperature"),
    "top_p": _plain("top_p"),
    "top_k": _plain("top_k"),
    "presence_penalty": _plain("presence_penalty"),
    "repetition_penalty": _repetition,
    "seed": _plain("seed"),
    "max_tokens": _max_tokens,
    "logprobs": _plain("logprobs"),
    "top_logprobs": _top_logprobs,
    "reasoning": _reasoning,
    "effort": _effort,
    "json_object": _json_object,
    "schema": _schema,
}
