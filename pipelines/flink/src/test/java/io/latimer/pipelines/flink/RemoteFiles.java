package io.latimer.pipelines.flink;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/** A file system of Flink's with a scheme of its own, {@code remote:}, on the local disk. */
public final class RemoteFiles implements FileSystemFactory {
  /** How many files were opened. */
  static final AtomicInteger OPENED = new AtomicInteger();

  @Override
  public String getScheme() {
    return "remote";
  }

  @Override
  public FileSystem create(URI uri) {
    return new LocalFileSystem() {
      @Override
      public URI getUri() {
        return URI.create("remote:///");
      }

      @Override
      public FSDataInputStream open(Path path) throws IOException {
        OPENED.incrementAndGet();
        return super.open(path);
      }
    };
  }
}
