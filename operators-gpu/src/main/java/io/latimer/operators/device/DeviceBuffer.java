package io.latimer.operators.device;

import java.util.Objects;

/** A part of an {@link Arena}'s memory. */
public final class DeviceBuffer {
  private final Arena arena;
  private final long generation;
  private final long address;
  private final long bytes;

  DeviceBuffer(Arena arena, long generation, long address, long bytes) {
    this.arena = arena;
    this.generation = generation;
    this.address = address;
    this.bytes = bytes;
  }

  /**
   * Its address on the device.
   *
   * @throws IllegalStateException if its arena was reset or closed
   */
  public long address() {
    arena.requireLive(generation);
    return address;
  }

  /** Its size in bytes. */
  public long bytes() {
    return bytes;
  }

  /**
   * A slice that shares its memory.
   *
   * @param offset in bytes from its start
   * @param length in bytes
   * @throws IndexOutOfBoundsException if the slice is not within it
   */
  public DeviceBuffer slice(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, bytes);
    return new DeviceBuffer(arena, generation, address + offset, length);
  }
}
