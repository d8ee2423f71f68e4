/** Utilities of operators, independent of devices: threads, files, numbers as text. */
package io.latimer.operators.util;
