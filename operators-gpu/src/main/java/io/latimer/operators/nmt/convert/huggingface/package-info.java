/** Import of models in Hugging Face's format: a folder of settings, weights and tokenizer files. */
package io.latimer.operators.nmt.convert.huggingface;
