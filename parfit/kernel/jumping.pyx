# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The jumps of one integration: what has happened, and what is to come.

At the time tau(p) of a jump the states become X(t, y, p), modes change, and the equations with them. Of what the
states are at tau the derivative is w = s + f- tau_p: w+ = X_y w + X_p + X_t tau_p, and s+ = w+ - f+ tau_p.
"""

from libc.math cimport INFINITY, fabs, floor, isfinite
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcpy, memset

from parfit.kernel.jumps cimport ABOVE, BELOW, EVENT, SWITCH
from parfit.kernel.status cimport EARLY, ENDLESS, JUMP, NOT_FINITE, NOT_SMOOTH, OK, SLIDING
from parfit.kernel.system cimport VALUES, Blend, evaluate_at, read_g
from parfit.kernel.thresholds cimport SAME_TIME
from parfit.kernel.vectors cimport add, add_jump, add_outer, insert

cdef double ROUNDING = 1e-10   # a condition that moves by less, next to what it is made of, has not moved
cdef int ROUNDS = 100          # jumps that set off each other at one time
cdef int IDLE = 100            # crossings in a row without progress
cdef int SLOPES = 2            # the section of a tape that has derivatives

# How a condition has come to 0.
cdef enum:
    CROSSED = 1
    LANDED = 2   # a jump put it there
    LEFT = 3     # a jump put it there, and it leaves to the side that is not its own at 0
    DRIFTED = 4  # crossed by errors: the equations do not lead across


cdef class Jumping:
    """The jumps of one integration: what has happened, and what is to come."""

    def __dealloc__(self):
        free(self.memory)
        free(self.flags)

    cdef const double* with_modes(self, const double* p) noexcept nogil:
        """Parameters with the modes behind them, which are found later."""
        if self.jumps.n_params:
            memcpy(self.p, p, self.jumps.n_params * sizeof(double))
        memset(self.p + self.jumps.n_params, 0, self.jumps.n_modes * sizeof(double))
        return self.p

    cdef int begin(self, double* r, const Blend* blend, double t, double* y, double* s) noexcept nogil:
        """Find times, modes and sides at the beginning, and do what happens there."""
        cdef double* work = <double*> malloc((self.jumps.times.tape.n_registers + 1) * sizeof(double))
        cdef int k, status = OK
        if work == NULL:
            return JUMP
        self.jumps.times.tape.prepare(work, self.p)
        self.jumps.times.run(work, t, y, SLOPES if self.m else VALUES)
        for k in range(self.jumps.n_timed):
            self.tau[k] = work[self.jumps.times.value[k]]
            if not isfinite(self.tau[k]) or (self.jumps.timed_given[k] and not self.begun and self._is_past(k, t)):
                status = EARLY if isfinite(self.tau[k]) else JUMP
            if self.m:
                self.jumps.times.derivative(work, k, self.m, NULL, NULL, self.tau_p + <size_t> k * self.m)
            if self.jumps.timed_mode[k] >= 0:
                self.p[self.jumps.n_params + self.jumps.timed_mode[k]] = (
                    self.jumps.timed_after[k] if self._is_past(k, t) else self.jumps.timed_before[k])
            insert(self.order, k, self.tau)  # by time, and as written where the times are the same
        free(work)
        memset(self.hit, 0, self.jumps.n_conditions * sizeof(int))
        memset(self.due, 0, self.jumps.n_actions * sizeof(int))
        self.next, self.idle, self.last, self.undefined = 0, 0, -INFINITY, False
        while self.next < self.jumps.n_timed and self._is_past(self.order[self.next], t):
            self.next += 1  # what lies before the beginning does not happen any more
        self._prepare(r)
        self._set_sides(r, blend, t, y)
        if status == OK and self.undefined:
            status = NOT_FINITE
        if status == OK and self.is_due(t):
            status = self.fire_timed(r, blend, t, y, s)
        return status

    cdef bint _is_past(self, int k, double t) noexcept nogil:
        """Whether the time of a jump lies before the beginning."""
        return self.tau[k] <= t + SAME_TIME * fabs(t) if self.begun else self.tau[k] < t - SAME_TIME * fabs(t)

    cdef void _prepare(self, double* r) noexcept nogil:
        """Registers for the present modes."""
        self.system.dynamics.prepare(r, self.p)
        self.jumps.conditions.tape.prepare(self.r_conditions, self.p)
        self.jumps.values.tape.prepare(self.r_values, self.p)

    cdef void _set_sides(self, double* r, const Blend* blend, double t, const double* y) noexcept nogil:
        """Sides and modes from the conditions, and whether one of these has no value."""
        cdef int k, turn
        for turn in range(self.jumps.n_modes + 1):  # modes may depend on modes before them
            self.undefined = False  # the last time counts, with all modes as they are
            self.jumps.conditions.run(self.r_conditions, t, y, SLOPES)
            evaluate_at(self.system, r, blend, t, y, VALUES)
            read_g(self.system, r, self.f)
            for k in range(self.jumps.n_conditions):
                self._set_side(k, self.r_conditions[self.jumps.conditions.value[k]])
            self._prepare(r)

    cdef void _set_side(self, int k, double value) noexcept nogil:
        """From the sign of a condition; of one that is 0, from where it goes, or from what it is while it rests."""
        cdef int kind = self.jumps.kind[k]
        cdef double* mode = self.p + self.jumps.n_params + self.jumps.mode[k]
        self.undefined = self.undefined or not isfinite(value)
        if kind == ABOVE or kind == BELOW:
            self.side[k] = -1 if kind == ABOVE else 1
            if kind == ABOVE and isfinite(value):
                mode[0] += floor(value) + 1.0  # so that -1 <= condition < 0
            return
        if value == 0.0:
            value = self.jumps.conditions.rate(self.r_conditions, k, self.f)
        if value == 0.0 and kind == SWITCH:
            value = self.jumps.direction[k]
        self.side[k] = 1 if value > 0.0 else -1 if value < 0.0 else 0 if kind == EVENT else 1
        if kind == SWITCH:
            mode[0] = 1.0 if self.side[k] > 0 else 0.0

    cdef double next_time(self) noexcept nogil:
        """When the next jump at a known time is, INFINITY if there is none."""
        return self.tau[self.order[self.next]] if self.next < self.jumps.n_timed else INFINITY

    cdef bint is_due(self, double t) noexcept nogil:
        return self.next_time() <= t + SAME_TIME * fabs(t)

    cdef int fire_timed(self, double* r, const Blend* blend, double t, double* y, double* s) noexcept nogil:
        """All jumps whose time has come: those of a group at once, one group after the other."""
        cdef int first, k, group, status = OK
        while status == OK and self.is_due(t):
            first = self.next
            group = self.jumps.timed_group[self.order[first]]
            if self.m:
                memcpy(self.shift, self.tau_p + <size_t> self.order[first] * self.m, self.m * sizeof(double))
            status = evaluate_at(self.system, r, blend, t, y, VALUES)
            read_g(self.system, r, self.f)
            while self.is_due(t) and self.jumps.timed_group[self.order[self.next]] == group:
                k = self.order[self.next]
                if self.jumps.timed_action[k] >= 0:
                    self.due[self.jumps.timed_action[k]] = 1
                if self.jumps.timed_mode[k] >= 0:
                    self.p[self.jumps.n_params + self.jumps.timed_mode[k]] = self.jumps.timed_after[k]
                self.next += 1
            if status == OK:
                status = self._fire(r, blend, t, y, s)
        return status

    cdef double condition(self, int k, double t, const double* y) noexcept nogil:
        self.jumps.conditions.run(self.r_conditions, t, y, VALUES)
        return self.r_conditions[self.jumps.conditions.value[k]]

    cdef bint crossed(self, double t, const double* y) noexcept nogil:
        """Whether a condition has crossed zero, and something follows from it; `hit` says which."""
        cdef int k
        cdef bint any_hit = False, wrong
        cdef double value
        if self.jumps.n_conditions == 0:
            return False
        self.jumps.conditions.run(self.r_conditions, t, y, VALUES)
        for k in range(self.jumps.n_conditions):
            value = self.r_conditions[self.jumps.conditions.value[k]]
            self.undefined = self.undefined or not isfinite(value)
            wrong = self.jumps.kind[k] != EVENT or self.jumps.direction[k] != self.side[k]
            self.hit[k] = CROSSED if wrong and value * self.side[k] < 0.0 else 0
            any_hit = any_hit or self.hit[k]
        for k in range(self.jumps.n_conditions if not any_hit else 0):
            value = self.r_conditions[self.jumps.conditions.value[k]]
            if value * self.side[k] < 0.0 or (self.side[k] == 0 and value != 0.0):
                self.side[k] = 1 if value > 0.0 else -1  # in the other direction, or from a rest: nothing follows
        return any_hit

    cdef int fire_crossed(self, double* r, const Blend* blend, double t, double* y, double* s) noexcept nogil:
        """What follows from the conditions that were hit at t."""
        cdef int k, j, first = -1, status
        cdef double rate
        self.idle = self.idle + 1 if t <= self.last + SAME_TIME * fabs(t) else 0
        self.last = t
        if self.idle > IDLE:
            return ENDLESS
        status = evaluate_at(self.system, r, blend, t, y, VALUES)
        if status != OK:
            return status
        read_g(self.system, r, self.f)
        self.jumps.conditions.run(self.r_conditions, t, y, SLOPES)
        for k in range(self.jumps.n_conditions):
            self.c[k] = self.r_conditions[self.jumps.conditions.value[k]]
            if self.hit[k] and first < 0:
                first = k
            rate = self.jumps.conditions.rate(self.r_conditions, k, self.f) if self.hit[k] else 0.0
            if self.jumps.kind[k] == EVENT and rate * self.side[k] > 0.0:
                return ENDLESS  # it left zero and came back sooner than steps can tell
            if self.jumps.kind[k] == SWITCH and rate * self.side[k] >= 0.0 and self.hit[k]:
                self.hit[k] = DRIFTED
            if self.hit[k] and self.jumps.action[k] >= 0:
                self.due[self.jumps.action[k]] = 1
        if self.m:
            self.jumps.conditions.derivative(self.r_conditions, first, self.m, s, NULL, self.shift)
            rate = self.jumps.conditions.rate(self.r_conditions, first, self.f)
            for j in range(self.m):
                self.shift[j] = -self.shift[j] / rate if self.shift[j] != 0.0 else 0.0
        for k in range(self.jumps.n_conditions):
            if self.hit[k] and self.jumps.kind[k] != EVENT:
                self._turn(k)
        return self._fire(r, blend, t, y, s)

    cdef void _turn(self, int k) noexcept nogil:
        """The mode of a condition after it has crossed."""
        cdef double* mode = self.p + self.jumps.n_params + self.jumps.mode[k]
        if self.jumps.kind[k] == SWITCH:
            self.side[k] = -self.side[k]
            mode[0] = 1.0 if self.side[k] > 0 else 0.0
        else:
            mode[0] += 1.0 if self.jumps.kind[k] == ABOVE else -1.0

    cdef int _fire(self, double* r, const Blend* blend, double t, double* y, double* s) noexcept nogil:
        """Do what is due, with f before it in `f` and the derivatives of its time in `shift`."""
        # Where nothing is, the equations switch: s+ = s + (f- - f+) tau_p. If f does not jump then, it does not matter
        # when that is, even if they never get there (tau_p is infinite).
        cdef int turn, status
        memcpy(self.before, self.f, self.n * sizeof(double))
        self.acted = False
        for turn in range(ROUNDS + 1):
            self._act(t, y, s)
            self._prepare(r)
            if self._look_again(t, y):
                continue
            status = self._find_rates(r, blend, t, y)
            if status != OK or not self._leave():
                break
        else:
            return ENDLESS
        if status != OK:
            return status
        if self.m and not add_jump(s, NULL if self.acted else self.before, self.f, self.shift, self.n, self.m):
            return NOT_SMOOTH
        return self._settle(t, y)

    cdef int _find_rates(self, double* r, const Blend* blend, double t, const double* y) noexcept nogil:
        """`f` after what was done, if the states have values."""
        cdef int i, status
        for i in range(self.n):
            if not isfinite(y[i]):
                self.bad_state = self.system.order[i]
                return JUMP
        status = evaluate_at(self.system, r, blend, t, y, VALUES)
        read_g(self.system, r, self.f)
        return status

    cdef void _act(self, double t, double* y, double* s) noexcept nogil:
        """The actions that are due, all with the state before: values first, then what is added."""
        cdef int a, row, target, adding
        if memchr(self.due, 1, self.jumps.n_actions * sizeof(int)) == NULL:
            return  # none is
        if self.m and not self.acted:
            add_outer(s, self.before, self.shift, self.n, self.m)
        self.acted = True
        self.jumps.values.run(self.r_values, t, y, SLOPES if self.m else VALUES)
        memcpy(self.state, y, self.n * sizeof(double))
        if self.m:
            memcpy(self.w, s, <size_t> self.n * self.m * sizeof(double))
        for adding in range(2):
            for a in range(self.jumps.n_actions):
                for row in range(self.jumps.first_row[a], self.jumps.first_row[a + 1] if self.due[a] else 0):
                    if self.jumps.adds[row] != adding:
                        continue
                    target = self.jumps.target[row]
                    if self.moved != NULL:
                        self.moved[target] = self.system.low[target] < self.system.high[target]  # also by 0
                    y[target] = self.r_values[self.jumps.values.value[row]] + (y[target] if adding else 0.0)
                    if self.m:
                        self._move(row, s + <size_t> target * self.m, adding)
        memset(self.due, 0, self.jumps.n_actions * sizeof(int))

    cdef void _move(self, int row, double* s, bint adding) noexcept nogil:
        """The derivatives of a value that a state gets."""
        cdef double* moved = self.shift + self.m
        self.jumps.values.derivative(self.r_values, row, self.m, self.w, self.shift, moved)
        if adding:
            add(s, 1.0, moved, self.m)
        else:
            memcpy(s, moved, self.m * sizeof(double))

    cdef bint _look_again(self, double t, const double* y) noexcept nogil:
        """Whether a condition changed its sign by what was done, so that more follows."""
        cdef int k, side, kind
        cdef bint again = False
        cdef double value, moved
        if self.jumps.n_conditions:
            self.jumps.conditions.run(self.r_conditions, t, y, SLOPES)
        for k in range(self.jumps.n_conditions):
            kind = self.jumps.kind[k]
            value = self.r_conditions[self.jumps.conditions.value[k]]
            moved = fabs(value - self.c[k])
            if self.hit[k] and moved <= ROUNDING * self.jumps.conditions.size(self.r_conditions, k, t, y):
                continue  # it is 0 but for rounding; where it goes will be seen
            if kind == ABOVE or kind == BELOW:
                again = self._step(k, value) or again
                continue
            side = -1 if value < 0.0 else 1 if value > 0.0 else self.side[k]
            if kind == SWITCH:
                if value == 0.0:
                    side, self.c[k] = self.jumps.direction[k], 0.0
                self.hit[k] = LANDED if value == 0.0 else 0
                if side != self.side[k]:
                    self._turn(k)
                    again = True
            else:
                if side != self.side[k] and not self.hit[k] and self.jumps.direction[k] != -side:
                    self.due[self.jumps.action[k]] = 1
                    again = True
                self.side[k] = side
                self.hit[k] = 0
        return again

    cdef bint _step(self, int k, double value) noexcept nogil:
        """Whether a number that steps up or down does so, by as much as a jump of its condition asks for."""
        cdef bint up = self.jumps.kind[k] == ABOVE
        if not isfinite(value) or (value < 0.0 if up else value >= 0.0) or (fabs(value) < 0.5 and self._other_hit(k)):
            return False
        self.p[self.jumps.n_params + self.jumps.mode[k]] += floor(value) + (1.0 if up else 0.0)
        return True

    cdef bint _leave(self) noexcept nogil:
        """Whether a condition that a jump put on 0 leaves to its other side, where its mode then is; once for each."""
        cdef int k
        cdef bint any_left = False
        for k in range(self.jumps.n_conditions):
            if self.hit[k] == LANDED and self.jumps.conditions.rate(self.r_conditions, k, self.f) * self.side[k] < 0.0:
                self._turn(k)
                self.hit[k], any_left = LEFT, True
        return any_left

    cdef bint _other_hit(self, int k) noexcept nogil:
        """Of a number that steps up or down: whether the condition on its other end was hit."""
        return self.hit[k - 1] if self.jumps.kind[k] == BELOW else self.hit[k + 1]

    cdef int _settle(self, double t, const double* y) noexcept nogil:
        """Sides of the conditions that are still at 0, from where they go; SLIDING if the switch is pushed back."""
        cdef int k, status = OK
        cdef double rate, value
        for k in range(self.jumps.n_conditions):
            rate = self.jumps.conditions.rate(self.r_conditions, k, self.f)
            value = self.r_conditions[self.jumps.conditions.value[k]]
            if not self.hit[k]:
                self.side[k] = 0 if self.jumps.kind[k] == EVENT and rate == 0.0 == value else self.side[k]  # it rests
                continue
            if self.jumps.kind[k] == EVENT:
                self.side[k] = (1 if rate > 0.0 else -1) if rate != 0.0 else -self.side[k]
            elif self.jumps.kind[k] == SWITCH and self.hit[k] == CROSSED and rate * self.side[k] < 0.0:
                status = SLIDING
            self.hit[k] = 0
        return status
