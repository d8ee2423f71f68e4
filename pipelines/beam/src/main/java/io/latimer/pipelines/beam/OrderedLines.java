package io.latimer.pipelines.beam;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.FileSystems;
import org.apache.beam.sdk.io.fs.MoveOptions.StandardMoveOptions;
import org.apache.beam.sdk.io.fs.ResourceId;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Reshuffle;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.TypeDescriptor;
import org.apache.beam.sdk.values.TypeDescriptors;

/**
 * Writes numbered lines to one text file, in order; the input is bounded and numbered from 0
 * without gaps. Chunks of lines are sorted in parallel and written to files beside the output; the
 * last step joins them and replaces the output when it is complete. Returns the number of lines.
 */
final class OrderedLines extends PTransform<PCollection<KV<Long, String>>, PCollection<Long>> {
  private static final long serialVersionUID = 1L;

  /** Number of lines of a chunk, which is sorted in memory. */
  static final int CHUNK = 4096;

  private static final long NO_CHUNK = -1;

  private final String output;
  private final String parts;

  /**
   * Creates the transform.
   *
   * @param output path of the file
   * @param parts prefix of the paths of chunks, unique to this pipeline
   */
  OrderedLines(String output, String parts) {
    this.output = output;
    this.parts = parts;
  }

  /** A new prefix for the chunks of an output. */
  static String parts(String output) {
    return output + ".parts-" + UUID.randomUUID();
  }

  /** Deletes the chunks of a pipeline that has failed, if they are in local files. */
  static void deleteLocal(String parts) {
    if (parts.contains("://")) {
      return;
    }
    File prefix = new File(parts).getAbsoluteFile();
    File[] left =
        prefix.getParentFile().listFiles((folder, name) -> name.startsWith(prefix.getName()));
    for (File file : left == null ? new File[0] : left) {
      if (!file.delete() && file.exists()) {
        System.err.println("latimer: " + file + " cannot be deleted; delete it.");
      }
    }
  }

  @Override
  public PCollection<Long> expand(PCollection<KV<Long, String>> lines) {
    PCollection<KV<String, Long>> chunks =
        lines
            .apply(
                "Assign chunks",
                MapElements.into(
                        TypeDescriptors.kvs(
                            TypeDescriptors.longs(), new TypeDescriptor<KV<Long, String>>() {}))
                    .via(line -> KV.of(line.getKey() / CHUNK, line)))
            .setCoder(
                KvCoder.of(VarLongCoder.of(), KvCoder.of(VarLongCoder.of(), StringUtf8Coder.of())))
            .apply("Group chunks", GroupByKey.create())
            .apply("Write chunks", ParDo.of(new WriteChunk(parts)))
            .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()));
    // so that an empty input also creates a file
    PCollection<KV<String, Long>> none =
        lines.getPipeline().apply("No chunk", Create.of(KV.of("", NO_CHUNK)));
    return PCollectionList.of(List.of(chunks, none))
        .apply("All chunks", Flatten.pCollections())
        .apply("Gather chunks", GroupByKey.create())
        .apply("Join chunks", ParDo.of(new JoinChunks(output, parts)))
        .setCoder(VarLongCoder.of())
        // a retried join still finds its chunks
        .apply("Finish join", Reshuffle.viaRandomKey())
        .apply("Delete chunks", ParDo.of(new DeleteChunks(parts)))
        .setCoder(VarLongCoder.of());
  }

  private static ResourceId chunk(String parts, long number) {
    return FileSystems.matchNewResource(parts + "-" + number, false);
  }

  private static BufferedWriter writer(ResourceId file) throws IOException {
    return new BufferedWriter(
        Channels.newWriter(FileSystems.create(file, "text/plain"), StandardCharsets.UTF_8));
  }

  /**
   * Sorts the lines of a chunk and writes them; outputs the chunk's number, keyed by the output.
   */
  private static final class WriteChunk
      extends DoFn<KV<Long, Iterable<KV<Long, String>>>, KV<String, Long>> {
    private static final long serialVersionUID = 1L;

    private final String parts;

    WriteChunk(String parts) {
      this.parts = parts;
    }

    /** Writes a chunk; a retried bundle writes the same file again. */
    @ProcessElement
    public void process(
        @Element KV<Long, Iterable<KV<Long, String>>> chunk, OutputReceiver<KV<String, Long>> out)
        throws IOException {
      List<KV<Long, String>> lines = new ArrayList<>();
      chunk.getValue().forEach(lines::add);
      lines.sort(Comparator.comparing(KV::getKey));
      try (Writer writer = writer(chunk(parts, chunk.getKey()))) {
        long next = chunk.getKey() * CHUNK;
        for (KV<Long, String> line : lines) {
          if (line.getKey() != next) {
            throw new IOException("expected line " + next + ", found line " + line.getKey());
          }
          writer.write(line.getValue());
          writer.write('\n');
          next++;
        }
      }
      out.output(KV.of("", chunk.getKey()));
    }
  }

  private static final class JoinChunks extends DoFn<KV<String, Iterable<Long>>, Long> {
    private static final long serialVersionUID = 1L;

    private final String output;
    private final String parts;

    JoinChunks(String output, String parts) {
      this.output = output;
      this.parts = parts;
    }

    @ProcessElement
    public void process(@Element KV<String, Iterable<Long>> chunks, OutputReceiver<Long> out)
        throws IOException {
      List<Long> numbers = new ArrayList<>();
      chunks.getValue().forEach(numbers::add);
      numbers.remove(NO_CHUNK);
      numbers.sort(Comparator.naturalOrder());
      ResourceId whole = FileSystems.matchNewResource(parts, false);
      long lines = 0;
      try (Writer writer = writer(whole)) {
        for (long number : numbers) {
          if (lines != number * CHUNK) {
            throw new IOException("line " + lines + " is missing before chunk " + number);
          }
          lines += append(chunk(parts, number), writer);
        }
      }
      FileSystems.rename(List.of(whole), List.of(FileSystems.matchNewResource(output, false)));
      out.output(lines);
    }

    private static long append(ResourceId chunk, Writer writer) throws IOException {
      try (BufferedReader reader =
          new BufferedReader(Channels.newReader(FileSystems.open(chunk), StandardCharsets.UTF_8))) {
        long lines = 0;
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
          writer.write(line);
          writer.write('\n');
          lines++;
        }
        return lines;
      }
    }
  }

  private static final class DeleteChunks extends DoFn<Long, Long> {
    private static final long serialVersionUID = 1L;

    private final String parts;

    DeleteChunks(String parts) {
      this.parts = parts;
    }

    @ProcessElement
    public void process(@Element Long lines, OutputReceiver<Long> out) throws IOException {
      List<ResourceId> chunks = new ArrayList<>();
      for (long number = 0; number * CHUNK < lines; number++) {
        chunks.add(chunk(parts, number));
      }
      FileSystems.delete(chunks, StandardMoveOptions.IGNORE_MISSING_FILES);
      out.output(lines);
    }
  }
}
