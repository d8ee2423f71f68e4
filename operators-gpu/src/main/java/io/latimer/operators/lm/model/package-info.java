/** Language model files: vocabulary, tries, settings, and query states. */
package io.latimer.operators.lm.model;
