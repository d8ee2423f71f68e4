package io.latimer.pipelines.flink.state;

import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.NotAnIndexException;
import io.latimer.pipelines.index.IndexSource;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;

/** Index files in Flink's file systems, which are plugins of the cluster, such as {@code s3:}. */
public final class FlinkFiles implements IndexSource {
  private static final long serialVersionUID = 1L;

  @Override
  public void publish(
      java.nio.file.Path file, String sha256, URI folder, String name, String writer)
      throws IOException {
    try {
      new PublishedObjects(folder, writer).put(file, sha256, name);
    } catch (UnsupportedFileSystemSchemeException e) {
      throw noFileSystem(folder, e);
    }
  }

  @Override
  public Content open(URI uri) throws IOException {
    Path path = new Path(uri);
    try {
      FileSystem files = path.getFileSystem();
      FileStatus status = files.getFileStatus(path);
      if (status.isDir()) {
        throw new NotAnIndexException(IndexRef.location(uri) + " is a folder, not an index file");
      }
      return new Content(files.open(path), status.getLen());
    } catch (UnsupportedFileSystemSchemeException e) {
      throw noFileSystem(uri, e);
    } catch (FileNotFoundException | NoSuchFileException e) {
      throw new NotAnIndexException(IndexRef.location(uri) + " does not exist", e);
    }
  }

  private static IndexFormatException noFileSystem(
      URI uri, UnsupportedFileSystemSchemeException e) {
    return new IndexFormatException(
        IndexRef.location(uri)
            + ": Flink has no file system for "
            + uri.getScheme()
            + ": here; install its plugin on every machine of the job, or give a local path or an"
            + " https address",
        e);
  }
}
