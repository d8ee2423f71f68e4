/**
 * Makes the files of a release from what the other modules have built: archives, the Helm package,
 * the site, the licences of everything bundled, checksums.
 */
package io.latimer.release;
