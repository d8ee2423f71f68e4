/**
 * The classes that use native code: loaded once per process, in their own class loader ({@link
 * io.latimer.operators.device.Natives}), and called with JDK types only.
 */
package io.latimer.operators.device.natives;
