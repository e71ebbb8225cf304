"""Tells of each case whether its model accepts it, both ways in, and whether what comes out is what went in.

usage: accept.py FOLDER CASES; prints {"outcomes": [...], "names": {module: [top-level names]}}
"""

import ast
import importlib
import json
import pathlib
import sys

from pydantic import BaseModel, ValidationError


def outcome(model: type[BaseModel], value: object) -> dict[str, object]:
    text = json.dumps(value)
    try:
        made = model.model_validate(value)
    except ValidationError as error:
        made, reason = None, str(error)
    else:
        reason = ""
    try:
        read = model.model_validate_json(text)
    except ValidationError:
        read = None
    if (made is None) != (read is None):
        return {"accepted": made is not None, "problem": "the two ways in do not agree"}
    if made is None or read is None:
        return {"accepted": False, "reason": reason}
    for each in (made, read):
        back = json.loads(each.model_dump_json())
        if back != value or each.model_dump(mode="json", by_alias=True) != back:
            return {"accepted": True, "problem": f"became {json.dumps(back)}"}
    return {"accepted": True}


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(folder))
    cases = json.loads(pathlib.Path(sys.argv[2]).read_text("utf-8"))
    modules = {path.stem: importlib.import_module(path.stem) for path in sorted(folder.glob("*.py"))}
    names = {
        name: [
            target
            for node in ast.parse((folder / f"{name}.py").read_text("utf-8")).body
            for target in ([node.name] if hasattr(node, "name") else [ast.unparse(node)[:60]])
        ]
        for name in modules
    }
    outcomes = [outcome(modules[case["module"]].CAPABILITIES[case["capability"]][0], case["data"]) for case in cases]
    print(json.dumps({"outcomes": outcomes, "names": names}))


main()
