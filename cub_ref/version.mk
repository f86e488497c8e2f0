GPU_ONLY += cub_ref
