"""The worker of docs/worker-protocol.md's conformance cases, in Python."""

import os
from dataclasses import dataclass
from typing import Annotated, Literal

from invoq.worker import Context, Failure, Field, File, Refused, Tool, file, serve, tool

Act = Literal["answer", "refuse", "fail_once", "bug", "progress", "log", "work", "wait", "step_then_fail", "rest", "rest_caught", "ask", "token", "cost", "file"]
NUMBER = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
FOR_S = {"progress": 0.5, "work": 2.0, "wait": 60.0}


@dataclass
class Done:
    effect_key: str
    attempt: int
    file: File | None = None


def conformance(name: str, timeout_ms: int, **more: object) -> Tool:
    @tool(
        name=name,
        effect="write",
        timeout_ms=timeout_ms,
        errors={"NO_SUCH_THING": "RESOURCE_NOT_FOUND"},
        retry={"service": {"times": 2, "base_ms": 50}},
        examples=[{"input": {"act": "answer"}, "output": {"effect_key": "inv_1", "attempt": 1}}],
        **more,
    )
    def run(act: Annotated[Act, Field("What to do.")], context: Context) -> Done:
        """Do what a case of the conformance test asks for."""
        if act == "cost":
            context.cost(5)
            context.cost(7)
            if context.attempt == 1:
                raise Failure("service", "the first attempt fails")
        if act == "refuse":
            raise Refused("NO_SUCH_THING", "There is no such thing")
        if act == "fail_once" and context.attempt == 1:
            raise Failure("service", "the first attempt fails")
        if act == "bug":
            raise TypeError("a bug")
        if act == "log":
            context.log("info", "a line")
        if act in ("step_then_fail", "rest", "rest_caught"):
            first = context.step("first", lambda: context.attempt)
            if act == "step_then_fail" and context.attempt == 1:
                raise Failure("service", "the first attempt fails")
            if act == "rest":
                context.sleep("nap", 0.3)
            if act == "rest_caught":
                try:
                    context.sleep("nap", 0.3)
                except BaseException:
                    pass
            return Done(context.effect_key, first)
        if act == "ask":
            said = context.ask("number", "Which number?", NUMBER)
            return Done(context.effect_key, said.content["number"] if said.action == "accept" else 0)
        if act == "file":
            return Done(context.effect_key, context.attempt, file(bytes(600_000), name="zeros.bin", type="application/octet-stream"))
        if act == "token":
            return Done(context.effect_key, len(context.token()))
        for passed in range(round(FOR_S.get(act, 0) * 10)):
            context.progress(50 if act == "progress" else 10, "half" if act == "progress" else f"after {passed * 100} ms")
            context.sleep(0.1)
        return Done(context.effect_key, context.attempt)

    return run


serve(
    [
        conformance("conformance", 60_000),
        conformance("conformance_short", 1_000),
        conformance("conformance_account", 60_000, connection={"provider": "conformance"}),
    ],
    url=os.environ["INVOQ_URL"],
    key=os.environ["INVOQ_API_KEY"],
    domain="conformance",
)
