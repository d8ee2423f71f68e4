package io.latimer.pipelines.beam;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;

/** Avro container files. */
final class Containers {
  private Containers() {}

  /** Writes records, one or more, each in a block of its own. */
  static <T extends SpecificRecord> Path write(Path file, List<T> records) throws IOException {
    var schema = records.get(0).getSchema();
    try (DataFileWriter<T> writer = new DataFileWriter<>(new SpecificDatumWriter<>(schema))) {
      writer.create(schema, file.toFile());
      for (T record : records) {
        writer.append(record);
        writer.sync();
      }
    }
    return file;
  }

  static <T extends SpecificRecord> List<T> read(Class<T> type, Path file) throws IOException {
    List<T> records = new ArrayList<>();
    try (DataFileReader<T> reader =
        new DataFileReader<>(file.toFile(), new SpecificDatumReader<>(type))) {
      reader.forEach(records::add);
    }
    return records;
  }
}
