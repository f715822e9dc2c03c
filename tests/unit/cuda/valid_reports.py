"""valid_reports.py SCHEMA SARIF JUNIT: whether both are what their formats require; prints what a reader sees of them."""
import json
import sys
import xml.etree.ElementTree as xml

import jsonschema

schema, sarif, junit = sys.argv[1:]
with open(schema) as file:
    validator = jsonschema.Draft7Validator(json.load(file))
with open(sarif) as file:
    log = json.load(file)
validator.validate(log)
rules = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
for result in log["runs"][0]["results"]:
    assert rules[result["ruleIndex"]] == result["ruleId"]
    place = result["locations"][0].get("physicalLocation")
    where = f'{place["artifactLocation"]["uri"]}:{place["region"]["startLine"]}' if place else "-"
    related = [location["message"]["text"].split(":")[0] for location in result.get("relatedLocations", [])]
    print(result["level"], result["ruleId"], where, *related)

suite = xml.parse(junit).getroot().find("testsuite")
cases = suite.findall("testcase")
failed = [case for case in cases if case.find("failure") is not None]
assert int(suite.get("tests")) == len(cases) and int(suite.get("failures")) == len(failed)
for case in cases:
    failure = case.find("failure")
    print(case.get("name"), "passed" if failure is None else f'{failure.get("type")}: {failure.get("message")}')
