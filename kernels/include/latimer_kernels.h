/*
 * The complete C ABI of Latimer's kernels: the one header to include for liblatimer_kernels.so. Its conventions are in
 * latimer_common.h.
 */
#ifndef LATIMER_KERNELS_H
#define LATIMER_KERNELS_H

#include "latimer_common.h"
#include "latimer_grammar.h"
#include "latimer_lm.h"
#include "latimer_ngram.h"
#include "latimer_nmt.h"
#include "latimer_phrases.h"
#include "latimer_smt.h"

#endif
