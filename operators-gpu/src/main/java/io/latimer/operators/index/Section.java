package io.latimer.operators.index;

/**
 * One section of an index file.
 *
 * @param name 1 to 96 printable ASCII characters without blanks
 * @param offset of its first byte in the file, a multiple of 256
 * @param length in bytes, 0 or more; may exceed 2 GB
 * @param crc32c checksum of its bytes (Castagnoli), unsigned
 */
public record Section(String name, long offset, long length, long crc32c) {}
