/* The loop that runs a tape. One module has it: instructions know where in it their operations are done. */

#ifndef PARFIT_RUNNING_H
#define PARFIT_RUNNING_H

#include <stdint.h>

#include "operations.h"

#define A r[i->a]
#define B r[i->b]
#define C r[i->c]

#if defined(__clang__)
#define PARFIT_ONCE __attribute__((noinline))
#elif defined(__GNUC__)
#define PARFIT_ONCE __attribute__((noinline, noclone))
#endif

#if defined(PARFIT_ONCE)

/* Run the instructions from i on to the end of section `last`, on the registers r. Each operation goes to the next by a
   jump of its own, so that the processor learns what comes after it. With i NULL: the places, one for each opcode. */
PARFIT_ONCE static const void *const *parfit_run(const parfit_instruction *i, unsigned last, double *r,
                                                 const parfit_curve *curves)
{
    static const void *const places[] = {
#define PARFIT_ROW(opcode, name, value) &&at_##opcode,
        PARFIT_OPERATIONS(PARFIT_ROW)
#undef PARFIT_ROW
        &&at_end,
    };
    if (!i) return places;
    goto *i->operation;
#define PARFIT_ROW(opcode, name, value) \
    at_##opcode: \
        r[i->out] = value; \
        i++; \
        goto *i->operation;
    PARFIT_OPERATIONS(PARFIT_ROW)
#undef PARFIT_ROW
at_end:
    if (i->out >= last) return 0;
    i++;
    goto *i->operation;
}

/* What an instruction has for an opcode; PARFIT_N_OPERATIONS is the end of a section. */
static inline const void *parfit_operation(int op) { return parfit_run(0, 0, 0, 0)[op]; }

#else

static void parfit_run(const parfit_instruction *i, unsigned last, double *r, const parfit_curve *curves)
{
    for (;; i++)
        switch ((intptr_t)i->operation) {
#define PARFIT_ROW(opcode, name, value) \
        case PARFIT_##opcode: \
            r[i->out] = value; \
            break;
            PARFIT_OPERATIONS(PARFIT_ROW)
#undef PARFIT_ROW
        default:
            if (i->out >= last) return;
        }
}

static inline const void *parfit_operation(int op) { return (const void *)(intptr_t)op; }

#endif

#undef A
#undef B
#undef C

#endif
