package io.latimer.pipelines.flink;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.Arrays;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * A file system, {@code objects:}, that works as an object store does, on the local disk: an object
 * appears when its stream is closed, and renaming copies it and then deletes the old one. It can
 * end before any of its steps, as when the process is killed: no later step does anything.
 */
public final class ObjectFiles implements FileSystemFactory {
  /** Steps until it ends; below 0 for never. */
  static int stepsLeft = -1;

  /** Whether a copy is cut in the middle if it ends there, unlike that of an object store. */
  static boolean cutsCopies;

  /** The process is killed. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** Ends instead of this step if it is time. */
  private static void step() {
    if (stepsLeft == 0) {
      throw new Killed();
    }
    stepsLeft--;
  }

  @Override
  public String getScheme() {
    return "objects";
  }

  @Override
  public FileSystem create(URI uri) {
    return new LocalFileSystem() {
      @Override
      public URI getUri() {
        return URI.create("objects:///");
      }

      @Override
      public boolean mkdirs(Path path) throws IOException {
        step();
        return super.mkdirs(path);
      }

      @Override
      public boolean delete(Path path, boolean recursive) throws IOException {
        step();
        return super.delete(path, recursive);
      }

      @Override
      public FSDataOutputStream create(Path path, WriteMode mode) {
        step();
        return new Upload(path);
      }

      @Override
      public boolean rename(Path from, Path to) throws IOException {
        byte[] content = Files.readAllBytes(java.nio.file.Path.of(from.getPath()));
        put(to, content);
        delete(from, false);
        return true;
      }
    };
  }

  private static void put(Path path, byte[] content) throws IOException {
    java.nio.file.Path file = java.nio.file.Path.of(path.getPath());
    if (stepsLeft == 0 && cutsCopies) {
      Files.write(file, Arrays.copyOf(content, content.length / 2));
    }
    step();
    Files.write(file, content);
  }

  /** Keeps its bytes until it is closed. */
  private static final class Upload extends FSDataOutputStream {
    private final Path path;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();

    Upload(Path path) {
      this.path = path;
    }

    @Override
    public void write(int b) {
      content.write(b);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
      step();
      content.write(bytes, from, length);
    }

    @Override
    public long getPos() {
      return content.size();
    }

    @Override
    public void flush() {}

    @Override
    public void sync() {}

    @Override
    public void close() throws IOException {
      put(path, content.toByteArray());
    }
  }
}
