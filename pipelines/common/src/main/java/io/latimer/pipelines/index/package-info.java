/** Index files from anywhere, and their copies on this machine. */
package io.latimer.pipelines.index;
