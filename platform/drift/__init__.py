"""Does a web page or a paper say what is registered (REG-9)?"""
