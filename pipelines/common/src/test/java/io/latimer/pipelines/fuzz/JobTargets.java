package io.latimer.pipelines.fuzz;

import io.latimer.operators.fuzz.FuzzTarget;
import io.latimer.operators.fuzz.FuzzTargets;
import io.latimer.operators.fuzz.Mutations;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.feed.FeedTargets;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.ContainerFile;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.PublishedModel;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.RecordJson;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.file.SeekableByteArrayInput;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;

/** Readers of what jobs are made of: job files, records, files of records. */
public final class JobTargets implements FuzzTargets {
  /** The mark of a record and the fingerprint of its schema. */
  private static final int RECORD_HEADER = 10;

  private static final int MAX_RECORD_BYTES = 1 << 20;

  private final Path root = Path.of(System.getProperty("latimer.root"));
  private final List<FuzzTarget> targets = new ArrayList<>();

  @Override
  public List<FuzzTarget> in(Path folder) throws IOException {
    Path job = folder.resolve("job.yaml");
    List<byte[]> jobs = contents(root.resolve("examples/jobs"), ".yaml");
    targets.add(
        new FuzzTarget(
            "job-file",
            200,
            random -> Mutations.of(jobs, random),
            input -> JobConfigReader.read(Files.write(job, input)),
            List.of(ConfigException.class)));
    for (Class<? extends SpecificRecord> type :
        List.of(
            Sentence.class,
            Translation.class,
            Envelope.class,
            DeadLetter.class,
            NgramTable.class,
            PublishedModel.class)) {
      record(type);
    }
    containers();
    targets.addAll(FeedTargets.in(folder));
    return targets;
  }

  private static List<byte[]> contents(Path folder, String suffix) throws IOException {
    List<byte[]> contents = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(suffix)).sorted().toList()) {
        contents.add(Files.readAllBytes(file));
      }
    }
    return contents;
  }

  private List<byte[]> golden(Class<?> type) throws IOException {
    return contents(
        root.resolve("schemas/src/test/resources/golden").resolve(type.getSimpleName()), ".bin");
  }

  private <T extends SpecificRecord> void record(Class<T> type) throws IOException {
    RecordCodec<T> codec = RecordCodec.of(type);
    List<byte[]> seeds = golden(type);
    targets.add(
        new FuzzTarget(
            "record-" + type.getSimpleName(),
            100,
            random -> changedRecord(seeds, random),
            input -> {
              T record = codec.decode(input);
              RecordJson.of(record);
              codec.encode(record);
            },
            List.of(RecordFormatException.class)));
  }

  /** Most changes behind the fingerprint, which would hide all others. */
  private static byte[] changedRecord(List<byte[]> seeds, Random random) {
    if (random.nextInt(8) == 0) {
      return Mutations.of(seeds, random);
    }
    byte[] seed = seeds.get(random.nextInt(seeds.size()));
    byte[] rest = new byte[seed.length - RECORD_HEADER];
    System.arraycopy(seed, RECORD_HEADER, rest, 0, rest.length);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(seed, 0, RECORD_HEADER);
    out.writeBytes(Mutations.of(List.of(rest), random));
    return out.toByteArray();
  }

  private void containers() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    for (CodecFactory codec : List.of(CodecFactory.nullCodec(), CodecFactory.deflateCodec(6))) {
      seeds.add(container(Sentence.class, codec));
      seeds.add(container(Translation.class, codec));
    }
    targets.add(
        new FuzzTarget(
            "container",
            200,
            random -> Mutations.of(seeds, random),
            JobTargets::read,
            List.of(RecordFormatException.class)));
  }

  private static void read(byte[] input) throws IOException {
    List<Class<? extends SpecificRecord>> types = List.of(Sentence.class, Translation.class);
    try (ContainerFile<SpecificRecord> file =
        ContainerFile.read(new SeekableByteArrayInput(input), types, MAX_RECORD_BYTES)) {
      while (file.next() != null) {
        // its records are of no interest
      }
    }
  }

  private <T extends SpecificRecord> byte[] container(Class<T> type, CodecFactory compression)
      throws IOException {
    RecordCodec<T> codec = RecordCodec.of(type);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DataFileWriter<T> writer = new DataFileWriter<>(new SpecificDatumWriter<>(type))) {
      writer.setCodec(compression);
      List<byte[]> records = golden(type);
      writer.create(codec.decode(records.get(0)).getSchema(), out);
      for (byte[] record : records) {
        writer.append(codec.decode(record));
        writer.sync();
      }
    }
    return out.toByteArray();
  }
}
