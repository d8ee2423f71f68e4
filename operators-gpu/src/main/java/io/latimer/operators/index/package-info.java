/**
 * Index files: whatever an operator loads is one immutable file that is mapped, never parsed.
 *
 * <p>{@code docs/formats.md} specifies the container byte by byte. {@link
 * io.latimer.operators.index.IndexFileWriter} writes a file, {@link
 * io.latimer.operators.index.IndexFile} opens it, {@link io.latimer.operators.index.IndexRef}
 * refers to it in configuration and state, and {@link io.latimer.operators.index.ResidentIndexes}
 * keeps one copy of it per process and device.
 */
package io.latimer.operators.index;
