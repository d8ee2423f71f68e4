/**
 * Index files: whatever an operator loads is one immutable file that is mapped, never parsed.
 *
 * <p>The container, byte by byte: {@code docs/formats.md}. {@link
 * io.latimer.operators.index.IndexFileWriter} makes one, {@link
 * io.latimer.operators.index.IndexFile} opens it, {@link io.latimer.operators.index.IndexRef} names
 * it in configuration and state, {@link io.latimer.operators.index.ResidentIndexes} keeps one copy
 * of it per process and device.
 */
package io.latimer.operators.index;
