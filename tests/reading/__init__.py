"""Reports of ten challenges, made to be read: do their sentences say only what is so?"""
