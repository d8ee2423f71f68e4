package io.latimer.operators.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class PrivateFolderTest {
  @TempDir Path temporary;

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void aFolderIsMadeForThisUserAlone() throws IOException {
    Path folder = temporary.resolve("a/b/c");
    assertThat(PrivateFolder.of(folder)).isEqualTo(folder.toRealPath());
    assertThat(permissions(folder)).isEqualTo("rwx------");
    assertThat(PrivateFolder.of(folder)).isEmptyDirectory();
  }

  @Test
  void aFolderThatOthersMayWriteToIsRefused() throws IOException {
    Path folder = Files.createDirectory(temporary.resolve("shared"));
    for (String open : new String[] {"rwxrwx---", "rwxr-xrwx"}) {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(open));
      assertThatThrownBy(() -> PrivateFolder.of(folder))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(folder + ": others may write to it");
    }
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(PrivateFolder.of(folder)).isEqualTo(folder.toRealPath());
  }

  @Test
  void aFolderOfAnotherUserIsRefused() throws IOException {
    Path folder = Files.createDirectory(temporary.resolve("theirs"));
    try {
      Files.setOwner(
          folder,
          folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
    } catch (IOException e) {
      Assumptions.abort("only the superuser can give a folder away: " + e);
    }
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThatThrownBy(() -> PrivateFolder.of(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(folder + ": it belongs to another user");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void ownLinksAreFollowedAndFilesRefused() throws IOException {
    Path folder = Files.createDirectory(temporary.resolve("folder"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    Path link = Files.createSymbolicLink(temporary.resolve("link"), folder);
    assertThat(PrivateFolder.of(link)).isEqualTo(folder.toRealPath());
    Path file = Files.writeString(temporary.resolve("file"), "text");
    assertThatThrownBy(() -> PrivateFolder.of(file)).hasMessageContaining("not a folder");
    Path dangling = Files.createSymbolicLink(temporary.resolve("dangling"), Path.of("nowhere"));
    assertThatThrownBy(() -> PrivateFolder.of(dangling)).isInstanceOf(IOException.class);
  }
}
