package io.latimer.operators.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.Section;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Index files with a section that is not what its writer makes. */
public final class ChangedIndex {
  private ChangedIndex() {}

  /** Writes an index again with a section changed, or left out if it becomes null. */
  public static Path write(
      Path index, IndexKind kind, Path out, String section, UnaryOperator<ByteBuffer> change) {
    try (IndexFile file = IndexFile.open(index);
        IndexFileWriter writer =
            IndexFileWriter.create(out, kind.written(file.kindVersion()), "")) {
      for (Section each : file.sections()) {
        ByteBuffer bytes = ByteBuffer.allocate((int) each.length()).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(file.section(each.name())).flip();
        if (each.name().equals(section)) {
          bytes = change.apply(bytes);
        }
        if (bytes != null) {
          writer.add(each.name(), bytes);
        }
      }
      writer.commit();
    }
    return out;
  }

  /** A change within a section. */
  public static UnaryOperator<ByteBuffer> put(Consumer<ByteBuffer> change) {
    return bytes -> {
      change.accept(bytes);
      return bytes;
    };
  }

  /** A change of a section's text, which must have what is replaced. */
  public static UnaryOperator<ByteBuffer> replaced(String from, String to) {
    return bytes -> {
      String text = StandardCharsets.UTF_8.decode(bytes).toString();
      assertThat(text).contains(from);
      return ByteBuffer.wrap(text.replace(from, to).getBytes(StandardCharsets.UTF_8));
    };
  }
}
