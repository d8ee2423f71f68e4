package io.latimer.cli;

import java.net.URI;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.local.LocalFileSystem;

/** A file system for a plugin: the local disk under the scheme {@code shelf:}. */
public final class ShelfFiles implements FileSystemFactory {
  @Override
  public String getScheme() {
    return "shelf";
  }

  @Override
  public FileSystem create(URI uri) {
    return new ShelfFileSystem();
  }

  private static final class ShelfFileSystem extends LocalFileSystem {
    @Override
    public URI getUri() {
      return URI.create("shelf:///");
    }
  }
}
