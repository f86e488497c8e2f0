"""The events of labs/check/trace.c as steps with names."""

import itertools

from .names import kernel_parameters, sort_parameters

UNWRITTEN = 0xDBDBDBDB


class Trace:
    """The steps, each with all of the changed arrays' values after it; None is a value that was never written."""

    def __init__(self, version, program, events):
        self.parameters = kernel_parameters(version)
        self.own = dict(zip(("inputVals", "inputPos", "outputVals", "outputPos"), sort_parameters(version)))
        self.program = program
        self.names, self.values, self.live, self.steps = {}, {}, set(), []
        self.title = ""
        self.complete = False
        for event in events:
            if event["event"] == "array":
                self.add_array(event)
            elif event["event"] == "free":
                self.live.discard(event["id"])
            else:
                self.add_step(event)

    def add_array(self, event):
        number = event["id"]
        base = self.own.get(event["kind"]) or self.program.variable(event["caller"]) or "scratch"
        used = {self.names[other] for other in self.live}
        first = base if base != "scratch" else "scratch 1"
        names = itertools.chain([first], (f"{base} {count}" for count in itertools.count(2)))
        name = next(name for name in names if name not in used)
        self.names[number] = name
        self.values[number] = [None] * (event["bytes"] // 4)
        self.live.add(number)

    def place(self, place):
        if place is None:
            return "host"
        name = self.names[place["array"]]
        return f"{name} + {place['offset']}" if place["offset"] else name

    def add_step(self, event):
        if event["event"] == "end":
            self.complete = True
            return
        step = {"kind": event["event"], "stage": event["stage"]}
        if event["event"] == "kernel":
            step["name"] = event["name"] or ""
            if "<" in step["name"] or not step["name"]:  # an instance of a template, or its name is not known
                step["name"] = self.program.kernel(event["address"]) or step["name"] or "kernel"
            names = self.parameters.get(step["name"].split("<")[0], [])
            step.update(grid=event["grid"], block=event["block"], shared=event["shared"], arguments=[])
            for place in event["arguments"]:
                index = place["index"]
                parameter = names[index - 1] if index <= len(names) else f"argument {index}"
                step["arguments"].append({"parameter": parameter, "array": self.names[place["array"]], "offset": place["offset"], "text": self.place(place)})
        elif event["event"] == "host":
            step.update(name=event["name"], values=event["values"])
        elif event["event"] == "start":
            self.title = event["title"]
        else:
            step.update(to=self.place(event["to"]), source=self.place(event["from"]), value=event["value"], bytes=event["bytes"])
        step["changed"] = []
        for change in event.get("changed", []):
            values = self.values[change["array"]]
            runs = []
            for first, new in change["runs"]:
                values[first : first + len(new)] = [None if value == UNWRITTEN else value for value in new]
                runs.append([first, len(new)])
            step["changed"].append({"array": self.names[change["array"]], "values": list(values), "runs": runs})
        self.steps.append(step)

    def sorted_at(self, keys):
        """The step to stop at: the first after which an array holds the sorted keys, unless few more follow."""
        for number, step in enumerate(self.steps):
            arrays = [change["values"] for change in step["changed"]] + [step.get("values", [])]
            if number > 0 and any(values[: len(keys)] == sorted(keys) for values in arrays):
                return number if len(self.steps) - 1 - number > 3 else len(self.steps) - 1
        return len(self.steps) - 1
