package io.latimer.operators.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class FileErrorsTest {
  @Test
  void theReasonIsNeverTheFilesNameAlone() {
    assertThat(FileErrors.reason(new NoSuchFileException("/x"))).isEqualTo("no such file");
    assertThat(FileErrors.reason(new AccessDeniedException("/x"))).isEqualTo("permission denied");
    assertThat(FileErrors.reason(new FileSystemException("/x", null, "Too many open files")))
        .isEqualTo("Too many open files");
    assertThat(FileErrors.reason(new FileSystemException("/x"))).isEqualTo("FileSystemException");
    assertThat(FileErrors.reason(new IOException("Is a directory"))).isEqualTo("Is a directory");
  }
}
