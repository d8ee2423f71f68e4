/** Import of CTranslate2's models: {@code model.bin}, and the settings beside it. */
package io.latimer.operators.nmt.convert.ctranslate2;
