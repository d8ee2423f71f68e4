/*
 * The C ABI of Latimer's kernels, whole: the one header to include for liblatimer_kernels.so. The conventions are those of
 * latimer_common.h.
 */
#ifndef LATIMER_KERNELS_H
#define LATIMER_KERNELS_H

#include "latimer_common.h"
#include "latimer_lm.h"
#include "latimer_ngram.h"
#include "latimer_nmt.h"

#endif
