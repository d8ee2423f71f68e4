package io.latimer.pipelines.flink.sink;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/**
 * Prints one line of UTF-8 per record to standard output or standard error. Flink's own print sink
 * would prefix the number of the subtask and use the machine's encoding.
 *
 * @param error whether to use standard error
 */
record LineSink(boolean error) implements Sink<String> {
  @Override
  public SinkWriter<String> createWriter(WriterInitContext context) {
    return new SinkWriter<>() {
      @Override
      public void write(String line, Context record) throws IOException {
        PrintStream out = error ? System.err : System.out;
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        // in one write: other subtasks write to the same stream
        out.write(bytes, 0, bytes.length);
        // a PrintStream hides its errors; checkError also flushes
        if (out.checkError()) {
          throw new LostLinesException(error);
        }
      }

      @Override
      public void flush(boolean endOfInput) {}

      @Override
      public void close() {}
    };
  }
}
