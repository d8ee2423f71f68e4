/**
 * The records that Latimer reads, writes and keeps in a job's state, generated from {@code
 * src/main/avro/records.avdl}, and {@link io.latimer.schemas.RecordCodec}, which encodes and
 * decodes them.
 *
 * <p>A record is encoded as Avro's single-object encoding (Avro specification 1.11, "Single-object
 * encoding"): the bytes {@code C3 01}, the CRC-64-AVRO fingerprint of the writer's schema in
 * parsing canonical form as 8 bytes little-endian, then the record in Avro's binary encoding.
 */
package io.latimer.schemas;
