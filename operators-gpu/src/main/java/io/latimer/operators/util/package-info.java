/** What operators share and no device needs: threads, files, numbers as text. */
package io.latimer.operators.util;
