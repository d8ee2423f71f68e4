/** The languages of texts: which one a text is in, and what becomes of texts in unexpected ones. */
package io.latimer.pipelines.language;
