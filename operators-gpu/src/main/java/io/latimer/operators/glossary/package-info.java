/**
 * Glossaries: finds the terms of a sentence, and checks that its translation has their target
 * forms.
 */
package io.latimer.operators.glossary;
