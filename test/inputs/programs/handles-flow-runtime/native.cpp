void launchNative(const void *kernel, void (*launch)(const void *)) { launch(kernel); }
