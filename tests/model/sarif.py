# SPDX-License-Identifier: MIT
"""Checks a file of SARIF: sarif.py FILE RESULTS NOTIFICATIONS. The last two are how many the file must have.

TYPES has what the schema of SARIF 2.1.0 (OASIS) says of the objects that nap-check writes: which members
are required, which others are allowed, and the type of each. If something is wrong, prints it and fails.
"""
import json
import sys

STRING, NUMBER, BOOL = str, int, bool
# type: (required members, members and their types); [x]: an array of x
TYPES = {
    "log": ("version runs", {"version": "2.1.0", "$schema": STRING, "runs": ["run"]}),
    "run": ("tool", {"tool": "tool", "columnKind": "utf16CodeUnits", "invocations": ["invocation"],
                     "results": ["result"]}),
    "tool": ("driver", {"driver": "component"}),
    "component": ("name", {"name": STRING, "rules": ["rule"]}),
    "rule": ("id", {"id": STRING, "shortDescription": "message"}),
    "invocation": ("executionSuccessful", {"executionSuccessful": BOOL, "exitCode": NUMBER,
                                           "toolExecutionNotifications": ["notification"]}),
    "notification": ("message", {"message": "message", "level": "error"}),
    "result": ("message", {"message": "message", "ruleId": STRING, "level": "error", "locations": ["location"],
                           "relatedLocations": ["location"], "codeFlows": ["flow"]}),
    "message": ("text", {"text": STRING}),
    "location": ("", {"physicalLocation": "physical", "message": "message"}),
    "physical": ("artifactLocation", {"artifactLocation": "artifact", "region": "region"}),
    "artifact": ("uri", {"uri": STRING}),
    "region": ("startLine", {"startLine": NUMBER, "startColumn": NUMBER}),
    "flow": ("threadFlows", {"threadFlows": ["thread"]}),
    "thread": ("locations", {"id": STRING, "locations": ["step"]}),
    "step": ("", {"location": "location", "executionOrder": NUMBER}),
}
NOT_EMPTY = ("threadFlows", "runs")
wrong = []


def check(value, kind, where):
    """Adds to the list "wrong" each part of @value that is not of @kind."""
    if isinstance(kind, list):
        if not isinstance(value, list):
            wrong.append(f"{where} is no array")
            return
        for i, item in enumerate(value):
            check(item, kind[0], f"{where}[{i}]")
    elif isinstance(kind, type):
        if type(value) is not kind:
            wrong.append(f"{where} is {value!r}")
        elif kind is NUMBER and value < 0:
            wrong.append(f"{where} is negative")
    elif kind in TYPES:
        required, members = TYPES[kind]
        for name in required.split():
            if name not in value:
                wrong.append(f"{where} has no {name}")
        for name, member in value.items():
            if name not in members:
                wrong.append(f"{where} has {name}")
            else:
                check(member, members[name], f"{where}.{name}")
                if name in NOT_EMPTY and not member:
                    wrong.append(f"{where}.{name} is empty")
    elif value != kind:
        wrong.append(f"{where} is {value!r} and not {kind!r}")


def main(file, results, notifications):
    with open(file, encoding="utf-8") as text:
        log = json.load(text)
    check(log, "log", "log")
    if not wrong:
        run = log["runs"][0]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        for result in run["results"]:
            if result["ruleId"] not in rules:
                wrong.append(f"no rule {result['ruleId']}")
            for flow in result.get("codeFlows", []):
                order = sorted(step["executionOrder"] for thread in flow["threadFlows"] for step in thread["locations"])
                if order != list(range(1, len(order) + 1)):
                    wrong.append(f"executionOrder is {order}")
        invocation = run["invocations"][0]
        for name, have, want in (("results", len(run["results"]), int(results)),
                                 ("notifications", len(invocation["toolExecutionNotifications"]), int(notifications))):
            if have != want:
                wrong.append(f"{have} {name}, not {want}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
