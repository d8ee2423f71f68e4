/**
 * The classes that touch native code: loaded once a process, in a class loader of their own ({@link
 * io.latimer.operators.device.Natives}), and spoken to through types of the JDK only.
 */
package io.latimer.operators.device.natives;
