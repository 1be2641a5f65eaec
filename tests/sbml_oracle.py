"""SBML as libsbml reads it and scipy integrates it: amounts and whatever rates change, at tight tolerance."""

import math

import libsbml
import numpy as np
from scipy.integrate import solve_ivp

TIGHT = {"rtol": 1e-10, "atol": 1e-12, "method": "LSODA"}
FIND = {
    libsbml.AST_FUNCTION_SIN: math.sin,
    libsbml.AST_FUNCTION_EXP: math.exp,
    libsbml.AST_FUNCTION_LN: math.log,
    libsbml.AST_FUNCTION_ABS: abs,
    libsbml.AST_FUNCTION_FLOOR: math.floor,
    libsbml.AST_FUNCTION_CEILING: math.ceil,
    libsbml.AST_FUNCTION_ARCTAN: math.atan,
    libsbml.AST_FUNCTION_TANH: math.tanh,
    libsbml.AST_FUNCTION_SEC: lambda a: 1 / math.cos(a),
    libsbml.AST_FUNCTION_FACTORIAL: lambda a: math.factorial(int(a)),
    libsbml.AST_FUNCTION_MAX: max,
    libsbml.AST_FUNCTION_MIN: min,
    libsbml.AST_FUNCTION_ROOT: lambda degree, a: a ** (1 / degree),
    libsbml.AST_FUNCTION_LOG: lambda base, a: math.log(a) / math.log(base),
    libsbml.AST_PLUS: lambda *a: sum(a),
    libsbml.AST_TIMES: lambda *a: math.prod(a),
    libsbml.AST_MINUS: lambda *a: a[0] - a[1] if len(a) == 2 else -a[0],
    libsbml.AST_DIVIDE: lambda a, b: a / b,
    libsbml.AST_POWER: lambda a, b: a**b,
    libsbml.AST_FUNCTION_POWER: lambda a, b: a**b,
    libsbml.AST_RELATIONAL_LT: lambda a, b: a < b,
    libsbml.AST_RELATIONAL_LEQ: lambda a, b: a <= b,
    libsbml.AST_RELATIONAL_GT: lambda a, b: a > b,
    libsbml.AST_RELATIONAL_GEQ: lambda a, b: a >= b,
    libsbml.AST_LOGICAL_AND: lambda *a: all(a),
    libsbml.AST_LOGICAL_OR: lambda *a: any(a),
    libsbml.AST_LOGICAL_XOR: lambda *a: sum(map(bool, a)) % 2,
    libsbml.AST_LOGICAL_NOT: lambda a: not a,
}
CONSTANTS = {libsbml.AST_CONSTANT_PI: math.pi, libsbml.AST_CONSTANT_E: math.e}


class Oracle:
    """One model; `values(t, y)` gives all symbols, of which y are those that change by themselves."""

    def __init__(self, path):
        self.known = {}
        self.document = libsbml.readSBML(str(path))
        self.model = m = self.document.getModel()
        self.rules = {r.getVariable(): r.getMath() for r in m.getListOfRules() if r.isAssignment()}
        self.rates = {r.getVariable(): r.getMath() for r in m.getListOfRules() if r.isRate()}
        self.starts = {a.getSymbol(): a.getMath() for a in m.getListOfInitialAssignments()}
        self.species = {s.getId(): s for s in m.getListOfSpecies() if s.getId() not in self.rules}
        self.counting = {name for name, s in self.species.items() if s.getHasOnlySubstanceUnits()}
        self.homes = {name: s.getCompartment() for name, s in self.species.items()}
        self.laws = {}
        for r in m.getListOfReactions():
            law = r.getKineticLaw()
            own = {p.getId(): p.getValue() for p in (*law.getListOfParameters(), *law.getListOfLocalParameters())}
            self.laws[r.getId()] = law.getMath(), own
        self.base = {}
        for each in (*m.getListOfCompartments(), *m.getListOfParameters()):
            known = each.isSetSize() if hasattr(each, "isSetSize") else each.isSetValue()
            value = each.getSize() if hasattr(each, "getSize") else each.getValue()
            self.base[each.getId()] = value if known else 1.0
        self.stoichiometries = [
            each for r in m.getListOfReactions() for each in (*r.getListOfReactants(), *r.getListOfProducts())
        ]
        self.changes = [(r, list(self._changes(r))) for r in m.getListOfReactions()]
        self.state = [*self.species, *(x for x in self.base if x in self.rates or self._jumps(x))]
        self.y0 = self._start()

    def _changes(self, reaction):
        for sign, listed in ((-1, reaction.getListOfReactants()), (1, reaction.getListOfProducts())):
            for each in listed:
                s = self.model.getSpecies(each.getSpecies())
                if not (s.getBoundaryCondition() or s.getConstant()):
                    much = 1.0 if each.getId() in self.starts else each.getStoichiometry()
                    yield each.getSpecies(), sign * much, each.getId()

    def _jumps(self, name):
        return any(
            a.getVariable() == name for e in self.model.getListOfEvents() for a in e.getListOfEventAssignments()
        )

    def _counts(self, name):
        return name in self.counting

    def _start(self):
        """Initial assignments over and over until nothing changes, which any order of them allows."""
        found = dict(self.base)
        for each in self.stoichiometries:
            if each.isSetId():
                found[each.getId()] = each.getStoichiometry()
        for _ in range(20):
            for name, s in self.species.items():
                size = found.get(s.getCompartment(), 1.0)
                if s.isSetInitialAmount():
                    found[name] = s.getInitialAmount() / (1 if self._counts(name) else size)
                elif s.isSetInitialConcentration():
                    found[name] = s.getInitialConcentration() * (size if self._counts(name) else 1)
                else:
                    found.setdefault(name, 0.0)
            for table in (self.starts, self.rules):
                for name, math_ in table.items():
                    found[name] = self._value(math_, found | {"@t": 0.0}, {name: 1.0})
        self.base = found
        return np.array([self._as_state(name, found) for name in self.state])

    def _as_state(self, name, values):
        """The amount of a species; anything else as it is."""
        if name not in self.species or self._counts(name) or name in self.rates:
            return values[name]
        return values[name] * values[self.homes[name]]

    def _value(self, node, values, missing=None):
        """A formula; each is made a function of Python once, for libsbml is slow to walk."""
        key = node.this.__int__()
        if key not in self.known:
            self.known[key] = self._function(node), node
        return self.known[key][0](values if missing is None else {**missing, **values})

    def _function(self, node):
        kind = node.getType()
        parts = [self._function(node.getChild(k)) for k in range(node.getNumChildren())]
        if node.isPiecewise():
            pairs = list(zip(parts[::2], parts[1::2], strict=False))
            return lambda v: (
                next((value(v) for value, holds in pairs if holds(v)), None)
                if any(holds(v) for _, holds in pairs)
                else parts[-1](v)
            )
        if kind == libsbml.AST_NAME_TIME:
            return lambda v: v["@t"]
        if kind == libsbml.AST_NAME:
            name, reaction = node.getName(), self.model.getReaction(node.getName())
            return (lambda v: v.get(name, 1.0)) if reaction is None else lambda v: self._rate(reaction, v)
        if kind in CONSTANTS or node.isNumber():
            number = CONSTANTS[kind] if kind in CONSTANTS else node.getValue()
            return lambda v: number
        if kind == libsbml.AST_FUNCTION:
            function = self.model.getFunctionDefinition(node.getName())
            names = [function.getArgument(k).getName() for k in range(function.getNumArguments())]
            body = self._function(function.getBody())
            return lambda v: body({**v, **{name: part(v) for name, part in zip(names, parts, strict=True)}})
        operation = FIND[kind]
        return lambda v: operation(*[part(v) for part in parts])

    def _rate(self, reaction, values):
        law, own = self.laws[reaction.getId()]
        return self._value(law, {**values, **own})

    def values(self, t, y):
        found = self.base | {"@t": t}
        found |= {name: value for name, value in zip(self.state, y, strict=True) if name not in self.species}
        for _ in range(len(self.rules) + 2):  # rules may stand in any order, and need the concentrations
            for name, value in zip(self.state, y, strict=True):
                if name in self.species:
                    concentration = not self._counts(name) and name not in self.rates
                    found[name] = value / (found[self.homes[name]] if concentration else 1.0)
            for name, node in self.rules.items():
                found[name] = self._value(node, found)
        return found

    def slope(self, t, y):
        values = self.values(t, y)
        found = dict.fromkeys(self.state, 0.0)
        for name, node in self.rates.items():
            found[name] = self._value(node, values)
        for reaction, changes in self.changes:
            rate = self._rate(reaction, values)
            for name, much, own in changes:
                found[name] += much * (values[own] if own in self.starts else 1.0) * rate
        return np.array([found[name] for name in self.state])

    def _holds(self, event, t, y):
        return bool(self._value(event.getTrigger().getMath(), self.values(t, y)))

    def _fire(self, event, t, y):
        """Species first, in the compartments as they were; then the sizes of these, which keep all amounts."""
        before = self.values(t, y)
        new = {a.getVariable(): self._value(a.getMath(), before) for a in event.getListOfEventAssignments()}
        found = dict(zip(self.state, y, strict=True)) | {k: v for k, v in new.items() if k not in self.species}
        for name, s in self.species.items():
            home = s.getCompartment()
            if name in new:
                found[name] = self._as_state(name, before | {name: new[name]})
            if name in self.rates and home in new and not self._counts(name):
                found[name] *= before[home] / new[home]
        return np.array([found[name] for name in self.state])

    def simulate(self, times):
        """All symbols at these times, which begin at 0."""
        y, t = self.y0, 0.0
        events = list(self.model.getListOfEvents())
        was = [e.getTrigger().getInitialValue() if self.model.getLevel() == 3 else True for e in events]
        y, was = self._settled(events, was, 0.0, y)
        found = [self.values(0.0, y)]
        for end in times[1:]:
            while t < end:
                t, y, was = self._until(events, was, t, y, end)
            found.append(self.values(t, y))
        return found

    def _settled(self, events, was, t, y):
        """Events whose triggers have become true, and those that they set off."""
        while True:
            holds = [self._holds(e, t, y) for e in events]
            fired = [e for e, before, now in zip(events, was, holds, strict=True) if now and not before]
            was = holds
            if not fired:
                return y, was
            for event in fired:
                y = self._fire(event, t, y)

    def _until(self, events, was, t, y, end):
        """On to the end, or to just behind where a trigger changes, which is found by halving."""
        edge = min([e for e in self._switches(t) if e < end], default=end)
        run = solve_ivp(self.slope, (t, edge), y, dense_output=True, **TIGHT)
        for a, b in zip(run.t, run.t[1:], strict=False):
            for s in np.linspace(a, b, 4)[1:]:
                if [self._holds(e, s, run.sol(s)) for e in events] == was:
                    continue
                low, high = t, s
                while high - low > 1e-13:
                    middle = (low + high) / 2
                    changed = [self._holds(e, middle, run.sol(middle)) for e in events] != was
                    low, high = (low, middle) if changed else (middle, high)
                y = solve_ivp(self.slope, (t, high), y, **TIGHT).y[:, -1] if high > t else y
                y, was = self._settled(events, was, high, y)
                return high, y, was
        return edge, run.y[:, -1], was

    def _switches(self, t):
        """Times at which pieces change, so that no step goes over them."""
        named = [self.base[name] for name in ("on", "off", "when") if name in self.base]
        return [each for each in named if each > t]
